// Options that measurements beside PyTorch share.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import { UsageError } from './usage-error.js';

const shared = {
  rounds: { type: 'string', default: '9' },
  engine: { type: 'string', default: 'auto' },
  precision: { type: 'string', default: 'float32' },
  device: { type: 'string', default: 'cpu' },
  python: { type: 'string' },
  json: { type: 'string' },
};

/**
 * The values of options, those of `further` included. On processors, each side may use one thread or two, and PyTorch
 * computes in float32; on a GPU there is one number of threads, and PyTorch computes in bfloat16.
 */
export function readOptions(args, further = {}) {
  const { values } = parseArgs({ args, options: { ...shared, ...further } });
  const { device, rounds, engine, precision } = values;
  if (device !== 'cpu' && device !== 'gpu') throw new UsageError(`--device is cpu or gpu, not ${device}`);
  if (!(Number(rounds) >= 1)) throw new UsageError(`--rounds is a number from 1, not ${rounds}`);
  const onGpu = device === 'gpu';
  return {
    ...values,
    ...{ args, onGpu, rounds: Number(rounds), threadCounts: onGpu ? [availableParallelism()] : [1, 2] },
    /** Options of our policy. */
    policy: { engine, precision },
  };
}

/**
 * The cases that `--only` asks for, all without it.
 * @param only names of cases; one text: a part of their names
 */
export function chosen(cases, only = [], nameOf = ({ name }) => name) {
  const texts = [only].flat();
  const isMatch = (each, text) => (Array.isArray(only) ? nameOf(each) === text : nameOf(each).includes(text));
  const unknown = texts.find((text) => !cases.some((each) => isMatch(each, text)));
  if (unknown !== undefined) {
    throw new UsageError(`--only names no row: ${unknown}. The rows are: ${cases.map(nameOf).join('; ')}.`);
  }
  return texts.length === 0 ? cases : cases.filter((each) => texts.some((text) => isMatch(each, text)));
}
