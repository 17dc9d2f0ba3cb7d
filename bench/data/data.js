// Opens a data set of millions of rows, first without an index and then with it: `npm run bench -- data [--rows N]`.
// The memory of a start is compared with that of a data set of one row. Ends with 1 if a goal is missed.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import { UsageError } from '../sides/usage-error.js';
import { writeRows } from './write-rows.js';

const script = fileURLToPath(new URL('./use-rows.js', import.meta.url));
const reads = 500;
const goals = { build: 10, start: 2, megabytes: 100 };

/** Returns the exit code. */
export async function measure(argv) {
  const { values } = parseArgs({ args: argv, options: { rows: { type: 'string', default: '2000000' } } });
  const rows = Number(values.rows);
  if (!(Number.isInteger(rows) && rows > 0)) throw new UsageError('Usage: npm run bench -- data [--rows N]');
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-bench-data-'));
  try {
    console.log(`${rows} rows. Seconds of the processor in brackets; a row and an id in microseconds.`);
    console.log('| format | MB | index built | start | MB above one row | id | any row | next row |');
    console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
    const reached = [];
    for (const format of ['jsonl', 'parquet']) reached.push(await measureFormat(folder, format, rows));
    return reached.every(Boolean) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Prints a row of the table. Returns whether all goals are reached. */
async function measureFormat(folder, format, rows) {
  const one = join(folder, `one.${format}`);
  const many = join(folder, `many.${format}`);
  await writeRows(one, 1);
  await writeRows(many, rows);
  // The hash of a file that was written just before is not believed later.
  await sleep(2500);
  const use = async (path, count) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      script,
      path,
      join(folder, 'cache'),
      String(count),
    ]);
    return JSON.parse(stdout);
  };
  const build = await use(many, 0);
  await use(one, 0);
  const base = await use(one, 0);
  const start = await use(many, reads);
  const megabytes = (start.memory - base.memory) / 1e6;
  const time = ({ seconds, processorSeconds }) => `${seconds.toFixed(2)} s (${processorSeconds.toFixed(2)})`;
  const micro = [start.id, start.anyRow, start.nextRow].map((value) => value.toFixed(0));
  const cells = [
    format,
    (statSync(many).size / 1e6).toFixed(0),
    time(build),
    time(start),
    megabytes.toFixed(1),
    ...micro,
  ];
  console.log(`| ${cells.join(' | ')} |`);
  return build.seconds <= goals.build && start.seconds <= goals.start && megabytes <= goals.megabytes;
}
