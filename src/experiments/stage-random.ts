import type { Random } from '../contracts/random.js';

/** A separate random stream for a stage. */
export function stageRandom(random: Random, stage: string): Random {
  return random.stream('stage', stage);
}
