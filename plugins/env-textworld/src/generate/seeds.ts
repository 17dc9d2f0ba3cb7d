import { NumpyRandom } from './numpy-random.js';

/** Where each part of a game gets its random numbers from: seeds of `NumpyRandom`. */
export interface Seeds {
  readonly map: number;
  readonly objects: number;
  readonly quest: number;
  readonly grammar: number;
}

/** The four seeds that the original draws from the one seed of a game (`GameOptions.seeds` of `generator/game.py`). */
export function subSeeds(seed: number): Seeds {
  const random = new NumpyRandom(seed);
  // 65635 is the original's number.
  const draw = (): number => random.integer(0, 65635);
  return { map: draw(), objects: draw(), quest: draw(), grammar: draw() };
}
