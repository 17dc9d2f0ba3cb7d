import type { SplitName } from '@agentgym/cli';

import { SeededRandom } from '../generate/seeded-random.js';

/** Of five, three are for training. */
const usual: readonly SplitName[] = ['train', 'train', 'train', 'validation', 'test'];

/** The split of a name, for ever: it depends on nothing else. */
export function splitByHash(name: string, shares = usual): SplitName {
  return new SeededRandom(`split/${name}`).choice(shares);
}
