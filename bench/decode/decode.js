// Compares sampling with a plain PyTorch loop whose cache is allocated beforehand, and with `generate` of transformers.
//   npm run bench -- decode [--only ROW]... [options of bench/sides/options.js]
import { compareModels } from '../sides/compare-models.js';
import { decodeWork } from '../sides/our-side.js';
import { tokensPerSecond } from '../sides/print-rows.js';

const generate = { kind: 'generate', goal: 1 / 4 };

/** Episodes at a time, and the other sides with the highest ratio to their times. */
const cases = [
  { model: 'd 128 x 4', episodes: 32, peers: [{ kind: 'decode', goal: 1 / 2.5 }, generate] },
  { model: 'd 256 x 6', episodes: 32, peers: [{ kind: 'decode', goal: 1 / 1.7 }, generate] },
  { model: 'd 128 x 4', episodes: 1, peers: [{ kind: 'decode', goal: 1 / 2.5 }] },
  { model: 'd 256 x 6', episodes: 1, peers: [{ kind: 'decode', goal: 1 / 2 }] },
];

/** Runs the whole measurement and prints its table. Returns the exit code: 1 if a goal is missed. */
export function measure(args) {
  const sampling = { work: decodeWork, repetitions: 2, format: tokensPerSecond };
  return compareModels(
    'decode',
    args,
    cases.map((item) => ({ ...item, ...sampling })),
  );
}
