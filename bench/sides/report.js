// What a measurement beside PyTorch says at its end.
import { writeFileSync } from 'node:fs';

import { deviceOf, keepResults } from './keep-results.js';
import { exitCodeOf, printForeign, printRows } from './print-rows.js';

/**
 * Prints the rows, keeps them with the other facts, and returns the exit code: 1 if a goal is missed.
 * @param hello what the other side said first
 * @param arePrinted whether the rows were printed as they came, below `headOf`
 */
export function report(measurement, facts, { options, hello, peer, arePrinted = false }) {
  const { engine, precision, threadCounts } = options;
  const { torch, transformers, trl, gpu } = hello;
  const whole = { engine, precision, torch, transformers, trl, ...facts };
  if (arePrinted) printForeign(facts.foreignCores);
  else printRows(facts.rows, { head: headOf({ options, hello, peer }), compares: threadCounts.includes(1), ...facts });
  facts.profile?.forEach((line) => console.log(line));
  keep(measurement, whole, options, gpu);
  return exitCodeOf(facts.rows);
}

/** Says what was measured where. */
export function headOf({ options: { onGpu, threadCounts }, hello: { gpu }, peer }) {
  const compares = threadCounts.length > 1 && !onGpu;
  return `${deviceOf(gpu)}; ${peer}.${compares ? ' Each side at its faster of one and two threads (in brackets).' : ''}`;
}

/**
 * Keeps a measurement in the file of the day, and where `--json` wants it. That of another engine does not replace it.
 * @param measurement its name, and the model's where it has one
 */
export function keep(measurement, whole, { engine, precision, args, json }, gpu) {
  const variant = [engine === 'auto' ? '' : engine, precision === 'float32' ? '' : precision];
  const name = [measurement, ...variant].filter((part) => part !== '').join(' ');
  console.log(`\nWritten to ${keepResults(name, whole, { gpu, command: [measurement.split(' ', 1)[0], ...args] })}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(whole, undefined, 2)}\n`);
}
