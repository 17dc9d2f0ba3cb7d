import { defineConfig } from 'vitest/config';

// Without this file, vitest reads the configuration of a folder above, such as the one of a checkout of agentgym.
export default defineConfig({});
