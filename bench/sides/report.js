// What a measurement beside PyTorch says at its end.
import { writeFileSync } from 'node:fs';

import { deviceOf, keepResults } from './keep-results.js';
import { exitCodeOf, printRows } from './print-rows.js';

/**
 * Prints the rows, keeps them with the other facts, and returns the exit code: 1 if a goal is missed.
 * @param hello what the other side said first
 */
export function report(measurement, facts, { options, hello, peer }) {
  const { engine, precision, onGpu, threadCounts } = options;
  const { torch, transformers, trl, gpu } = hello;
  const whole = { engine, precision, torch, transformers, trl, ...facts };
  const sides = onGpu ? '' : ' Each side at its faster of one and two threads (in brackets).';
  printRows(facts.rows, { head: `${deviceOf(gpu)}; ${peer}.${sides}`, compares: threadCounts.includes(1), ...facts });
  facts.profile?.forEach((line) => console.log(line));
  keep(measurement, whole, options, gpu);
  return exitCodeOf(facts.rows);
}

/** Keeps a measurement in the file of the day, and where `--json` wants it. That of another engine does not replace it. */
export function keep(measurement, whole, { engine, precision, args, json }, gpu) {
  const variant = [engine === 'auto' ? '' : engine, precision === 'float32' ? '' : precision];
  const name = [measurement, ...variant].filter((part) => part !== '').join(' ');
  console.log(`\nWritten to ${keepResults(name, whole, { gpu, command: [measurement, ...args] })}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(whole, undefined, 2)}\n`);
}
