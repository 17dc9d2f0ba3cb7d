// Compares training steps with eager PyTorch: forward, backward, clipping and AdamW.
//   npm run bench -- engine [--only ROW]... [options of bench/sides/options.js]
import { compareModels } from '../sides/compare-models.js';
import { trainWork } from '../sides/our-side.js';
import { milliseconds } from '../sides/print-rows.js';

/** Episodes of a step, whether their lengths differ, and the highest ratio to PyTorch's time. */
const cases = [
  { model: 'd 128 x 4', episodes: 32, goal: 0.85 },
  { model: 'd 256 x 6', episodes: 32, goal: 0.85 },
  { model: 'd 128 x 4', episodes: 1, goal: 1 },
  { model: 'd 256 x 6', episodes: 1, goal: 1 },
  // The mean length is half of the longest. PyTorch pads.
  { model: 'd 128 x 4', episodes: 32, ragged: true, goal: 0.6 },
  { model: 'd 256 x 6', episodes: 32, ragged: true, goal: 0.6 },
];

/** Runs the whole measurement and prints its table. Returns the exit code: 1 if a goal is missed. */
export function measure(args) {
  const step = { work: trainWork, repetitions: 3, format: () => milliseconds };
  const whole = cases.map(({ goal, ...sizes }) => ({ ...sizes, ...step, peers: [{ kind: 'train', goal }] }));
  return compareModels('engine', args, whole);
}
