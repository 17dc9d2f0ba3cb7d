// `npm run mutations -- --count 30 --seed 1`: draws mutations of the table by the seed, applies them to a copy of the
// sources, one at a time, and runs the test that each must turn red. `--file TEXT` draws among those of files whose
// path contains the text. The exit code is 1 if a test stays green.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { repository } from '../architecture/source-files.js';
import { drawMutations } from './draw-mutations.js';
import type { Mutation } from './mutations.js';
import { scratchCopy } from './scratch-copy.js';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string', default: '' },
  },
});
const [count, seed] = [values.count, values.seed].map(Number) as [number, number];
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
  console.error('--count takes a whole number from 1 up, --seed a whole number');
  process.exit(2);
}
const chosen = drawMutations(count, seed, values.file);
if (chosen.length === 0) {
  console.error(`--file ${values.file}: no mutation of the table changes such a file`);
  process.exit(2);
}

const copy = scratchCopy();
const report = join(copy.folder, 'report.json');
const missed = chosen.filter((mutation) => {
  const outcome = copy.applied(mutation, () => runTest(mutation));
  console.log(`${outcome.padEnd(10)} ${mutation.file}: ${JSON.stringify(mutation.find)}`);
  console.log(`${' '.repeat(10)} by ${mutation.test}, ${JSON.stringify(mutation.reddens)}`);
  return outcome !== 'red';
});
console.log(`${chosen.length - missed.length} of ${chosen.length} mutations turn their test red`);
process.exitCode = missed.length === 0 ? 0 : 1;

/** `broken`: the test file could not be read with the mutation, or no test of that name ran. */
function runTest({ test, reddens }: Mutation): 'red' | 'green' | 'broken' {
  rmSync(report, { force: true });
  const pattern = reddens.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  const flags = ['--testNamePattern', pattern, '--reporter', 'json', '--outputFile', report];
  const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs');
  spawnSync(process.execPath, [vitest, 'run', '--config', 'vitest.all.config.ts', test, ...flags], {
    cwd: copy.folder,
    stdio: 'ignore',
  });
  if (!existsSync(report)) return 'broken';
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: readonly { readonly assertionResults: readonly { readonly status: string }[] }[];
  };
  const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  if (statuses.includes('failed')) return 'red';
  return statuses.includes('passed') ? 'green' : 'broken';
}
