// `npm run mutants -- --count 2000 --seed 7`: checks mutants of recipes with the real command line, and trains a step
// of those that are accepted and small. Prints a summary and every mutant with a wrong answer. The exit code is 1 if
// there is one.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { builtInHost } from '../../src/experiments/fixtures/built-in-host.js';
import { repository } from '../architecture/source-files.js';
import { isSmall, offencesOf } from './judge.js';
import { mutantMaker } from './make-mutant.js';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const [count, first] = [values.count, values.seed].map(Number) as [number, number];
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(first)) {
  console.error('--count takes a whole number from 1 up, --seed a whole number');
  process.exit(2);
}

/** Maximum memory of a check or a refusal, in kilobytes. */
const mostMemory = 500_000;
/** Milliseconds after which a process is ended, also for the training of a step. */
const hangs = 60_000;

interface Answer {
  readonly code: number | null;
  readonly document: Parameters<typeof offencesOf>[1];
  /** Processor seconds, which do not depend on other load of the machine. */
  readonly seconds: number;
  readonly kilobytes: number;
  readonly stderr: string;
}

const folder = mkdtempSync(join(tmpdir(), 'agentgym-mutants-'));
const usage = pathToFileURL(join(repository, 'test/mutants/report-usage.js')).href;
const data = {
  AGENTGYM_DATA_DIR: join(folder, 'data'),
  AGENTGYM_CACHE_DIR: join(folder, 'data/cache'),
  AGENTGYM_CONFIG_DIR: join(folder, 'data'),
};

function run(args: readonly string[]): Promise<Answer> {
  const child = spawn(process.execPath, ['--import', usage, join(repository, 'bin/run.js'), ...args, '--json'], {
    cwd: folder,
    env: { ...process.env, ...data, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const deadline = setTimeout(() => child.kill('SIGKILL'), hangs);
  const read = (stream: Readable) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
    return () => text;
  };
  const [stdout, stderr, used] = [1, 2, 3].map((descriptor) => read(child.stdio[descriptor] as Readable)) as [
    () => string,
    () => string,
    () => string,
  ];
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(deadline);
      // A killed process writes nothing.
      const { seconds, kilobytes } = JSON.parse(used() || '{"seconds": 60, "kilobytes": 0}') as Pick<
        Answer,
        'seconds' | 'kilobytes'
      >;
      let document: Answer['document'];
      try {
        document = JSON.parse(stdout()) as Answer['document'];
      } catch {
        document = undefined;
      }
      resolve({ code, document, seconds, kilobytes, stderr: stderr() });
    });
  });
}

const make = await mutantMaker(await builtInHost());
const codes = new Map<number | null, number>();
let [accepted, trained, offending, slowest, largest] = [0, 0, 0, 0, 0];
for (let seed = first; seed < first + count; seed += 1) {
  const mutant = make(seed);
  writeFileSync(join(folder, mutant.file), mutant.text);
  const checked = await run(['train', mutant.file, '--check']);
  const offences = offencesOf(checked.code, checked.document, checked.seconds);
  if (checked.kilobytes > mostMemory) offences.push(`${checked.kilobytes} kB`);
  if (existsSync(join(folder, 'runs'))) offences.push('a check wrote something');
  codes.set(checked.code, (codes.get(checked.code) ?? 0) + 1);
  slowest = Math.max(slowest, checked.seconds);
  largest = Math.max(largest, checked.kilobytes);
  if (checked.code === 0) accepted += 1;
  if (checked.code === 0 && isSmall(mutant.text, checked.document ?? {})) {
    trained += 1;
    const training = await run(['train', mutant.file, '--set', 'stopAfter.seconds=0']);
    const runs = join(folder, 'runs');
    if (training.code !== 0)
      offences.push(`trained: ${training.code} ${training.document?.error?.message ?? training.stderr}`);
    if (!existsSync(runs) || readdirSync(runs).length !== 1) offences.push('it was accepted, and did not begin');
    rmSync(runs, { recursive: true, force: true });
  }
  if (offences.length > 0) {
    offending += 1;
    console.log(`seed ${seed}, ${mutant.base}: ${mutant.changes.join('; ')}`);
    for (const offence of offences) console.log(`  ${offence.slice(0, 500)}`);
  }
}
rmSync(folder, { recursive: true, force: true });
const share = ((100 * accepted) / count).toFixed(1);
console.log(
  `${count} mutants from seed ${first}: ${[...codes].map(([code, times]) => `${times} ended with ${code}`).join(', ')}`,
);
console.log(
  `${share} % accepted, ${trained} of them trained a step; most processor time of a check ${slowest.toFixed(1)} s, largest ${(largest / 1000).toFixed(0)} MB`,
);
console.log(
  offending === 0 ? 'All were answered as they should be.' : `${offending} were not answered as they should be.`,
);
process.exitCode = offending === 0 ? 0 : 1;
