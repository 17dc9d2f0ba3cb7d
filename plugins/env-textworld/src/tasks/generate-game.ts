import type { SplitName } from '@agentgym/cli';

import { makeCoinCollector } from '../challenges/coin-collector.js';
import { makeCooking } from '../challenges/cooking.js';
import { makeSimple } from '../challenges/simple.js';
import { makeTreasureHunter } from '../challenges/treasure-hunter.js';
import { generateCustom } from '../generate/custom.js';
import type { GameDraft } from '../generate/draft.js';
import { subSeeds } from '../generate/seeds.js';
import type { Options } from '../options.js';

/** TextWorld's names of the splits of its foods. */
const foodsOf = { train: 'train', validation: 'valid', test: 'test' } as const satisfies Record<SplitName, string>;

/** The game of a seed, without words. `split` matters for cooking games whose foods are split. */
export function draftGame(options: Options, seed: number, split: SplitName): GameDraft {
  const seeds = subSeeds(seed);
  switch (options.game) {
    case 'custom':
      return generateCustom(options, seeds);
    case 'simple':
      return makeSimple(seeds, { rewards: options.rewards, goal: options.goal, test: false });
    case 'coin-collector':
      return makeCoinCollector(seeds, options);
    case 'treasure-hunter':
      return makeTreasureHunter(seeds, options);
    case 'cooking':
      return makeCooking(seeds, {
        ...options,
        recipeSeed: 0,
        split: options.foods === 'split' ? foodsOf[split] : '',
      });
    case 'files':
      throw new Error('games of files are not generated');
  }
}
