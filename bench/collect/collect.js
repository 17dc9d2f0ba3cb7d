// Compares free collection with waves and with its best possible schedule.
//   npm run bench -- collect [--episodes N] [--turns N] [--in-flight N] [--rounds N] [--from RUN]
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { watchForeignLoad } from '../sides/foreign-load.js';
import { Collector, openHost } from './collector.js';
import { measureDelayed } from './measure-delayed.js';
import { measureHost } from './measure-host.js';
import { measureInstant } from './measure-instant.js';
import { trainStart } from './train-start.js';

/** Load average above which the machine counts as busy. */
const quiet = 0.5;

/** Runs the whole measurement and prints it. Returns the exit code: 1 if a goal is missed. */
export async function measure(options) {
  const sizes = readOptions(options);
  if (sizes === undefined) return 2;
  const [{ model }] = cpus();
  const [load] = loadavg();
  console.log(`${model}, ${cpus().length} cores, load average ${load.toFixed(2)}.`);
  if (load > quiet) console.log(`WARNING: the machine is busy (load above ${quiet}): these times mean little.`);
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-bench-'));
  let collector;
  try {
    const host = await openHost();
    collector = await Collector.open(host, sizes.from ?? (await trainStart(host, folder)));
    const foreign = watchForeignLoad([]);
    const reached = [
      await measureDelayed(collector, sizes),
      await measureInstant(collector, sizes),
      await measureHost(collector, sizes),
    ];
    const cores = foreign();
    if (cores !== undefined) console.log(`\nOthers used ${cores.toFixed(2)} cores meanwhile.`);
    return reached.every((one) => one) ? 0 : 1;
  } finally {
    await collector?.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Undefined, after printing a message, if an option is wrong. */
function readOptions(options) {
  const whole = (value) => ({ type: 'string', default: String(value) });
  const { values } = parseArgs({
    args: options,
    options: {
      episodes: whole(256),
      turns: whole(20),
      'in-flight': whole(64),
      rounds: whole(3),
      from: { type: 'string' },
    },
  });
  const { from, ...counts } = values;
  const wrong = Object.entries(counts).find(([, value]) => !/^[1-9]\d{0,6}$/.test(value));
  if (wrong !== undefined) {
    console.error(`--${wrong[0]} takes a whole number of at least 1, not ${JSON.stringify(wrong[1])}.`);
    return undefined;
  }
  return {
    episodes: Number(counts.episodes),
    turns: Number(counts.turns),
    inFlight: Number(counts['in-flight']),
    rounds: Number(counts.rounds),
    ...(from !== undefined && { from: resolve(from) }),
  };
}
