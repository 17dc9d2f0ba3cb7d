// Results of measurements, one file for each day and machine: `bench/results/<date>-<device>.json`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';

import { commandOf } from './command-of.js';
import { instructions } from './instructions.js';

const folder = new URL('../results/', import.meta.url);

/** What computed: the processor with its instructions, or the GPU that an engine used. */
export function deviceOf(gpu) {
  const model = (gpu ?? cpus()[0].model).replace(/\((R|TM)\)|CPU|Processor|@.*$/gu, ' ');
  const name = model.trim().split(/\s+/u).join(' ');
  return gpu === undefined ? [name, ...instructions(), `${availableParallelism()} cores`].join(', ') : name;
}

/**
 * Adds a measurement to the file of the day. Replaces one of the same name. Returns the path of the file.
 * @param command the measurement and its options, as they were given
 */
export function keepResults(name, report, { gpu, command }) {
  const device = deviceOf(gpu);
  const slug = device.toLowerCase().replace(/[^a-z0-9]+/gu, '-');
  const date = new Date().toISOString().slice(0, 10);
  const file = new URL(`${date}-${slug}.json`, folder);
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).measurements : {};
  const facts = {
    date,
    device,
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const content = {
    ...facts,
    measurements: { ...before, [name]: { command: commandOf(command), ...report } },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
  return file.pathname;
}
