#!/usr/bin/env node
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// Node.js 22 and later keep what they compiled. The folder is the user's own, because whoever writes there decides what
// runs. Without it, or where nothing can be written, all works as before.
const { AGENTGYM_CACHE_DIR, XDG_CACHE_HOME } = process.env;
const caches = AGENTGYM_CACHE_DIR || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'agentgym');
module.enableCompileCache?.(join(caches, 'compiled'));

// oclif warns on every run that a linked ESM plugin is not transpiled, even where it is plain JavaScript.
process.env.OCLIF_DISABLE_LINKED_ESM_WARNING ??= '1';

const { main } = await import('../dist/cli/main.js');
// All work is awaited by now: what is still alive is a timer or a worker that a plugin left behind.
process.exit(await main(process.argv.slice(2), import.meta.url));
