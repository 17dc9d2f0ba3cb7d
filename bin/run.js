#!/usr/bin/env node
import { main } from '../dist/cli/main.js';

// oclif warns on every run that a linked ESM plugin is not transpiled, even where it is plain JavaScript.
process.env.OCLIF_DISABLE_LINKED_ESM_WARNING ??= '1';

// All work is awaited by now: what is still alive is a timer or a worker that a plugin left behind.
process.exit(await main(process.argv.slice(2), import.meta.url));
