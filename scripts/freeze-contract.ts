// Stores the contracts as first published under an apiVersion, and a plugin built against them, for test/compatibility.
// Run once, before the first release of that version: `npx jiti scripts/freeze-contract.ts`. It overwrites nothing,
// because published plugins do not change.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import ts from 'typescript';

import { rolledUpTypes } from './api-reports.js';

const folder = fileURLToPath(new URL('../test/compatibility/', import.meta.url));
const plugin = join(folder, 'first-plugin');
const types = join(folder, 'first-contract.d.ts');
for (const path of [types, join(plugin, 'lib')]) {
  if (existsSync(path))
    throw new Error(`${path} is there: what was published does not change. Remove it if it never was.`);
}

const notice = '// The contracts as first published with apiVersion 1. Never edited.\n/* oxlint-disable */\n';
const declarations = ts.createSourceFile('types.d.ts', rolledUpTypes(), ts.ScriptTarget.ESNext);
writeFileSync(types, notice + ts.createPrinter({ removeComments: true }).printFile(declarations));
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
execFileSync(process.execPath, [compiler, '-p', plugin], { stdio: 'inherit' });
// A plugin contains the code of other packages that it needs at run time.
await build({
  entryPoints: [join(plugin, 'src', 'table.ts')],
  outfile: join(plugin, 'lib', 'table.js'),
  allowOverwrite: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // The public entry would add all kits to the bundle.
  alias: { '@agentgym/cli/testing': fileURLToPath(new URL('../dist/testing/tabular-policy.js', import.meta.url)) },
});
