import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@agentgym\/cli\/testing$/, replacement: source('./src/testing/index.ts') },
      { find: /^@agentgym\/cli$/, replacement: source('./src/index.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'plugins/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    disableConsoleIntercept: true,
    testTimeout: 30_000,
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'plugins/*/src/**/*.ts'],
      // What runs in a browser is measured by test/browser, not here.
      exclude: ['**/*.test.ts', '**/fixtures/**', 'src/reporting/page/**', 'src/contracts/**', 'src/index.ts'],
      // The summary last, where it is seen.
      reporter: [['text', { maxCols: 120 }], 'text-summary'],
    },
  },
});
