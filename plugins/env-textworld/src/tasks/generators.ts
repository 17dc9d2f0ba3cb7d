import type { SplitName } from '@agentgym/cli';

import { makeCoinCollector } from '../challenges/coin-collector.js';
import { makeCooking } from '../challenges/cooking.js';
import { makeSimple } from '../challenges/simple.js';
import { makeTreasureHunter } from '../challenges/treasure-hunter.js';
import { generateCustom } from '../generate/custom.js';
import type { GameDraft } from '../generate/draft.js';
import { subSeeds } from '../generate/seeds.js';
import type { GameKind, Options } from '../options.js';

/** How games of one kind are made. */
export interface Generator {
  /** The beginning of all task ids, which names everything that decides their games: `w2-o3-q4`. */
  readonly setting: string;
  /** Whether the split decides about the game, so that ids name it: `.../train-17`. */
  readonly namesSplits?: boolean;
  /** The game of a seed, without words. */
  draft(seed: number, split: SplitName): GameDraft;
}

export type GeneratedKind = Exclude<GameKind, 'files'>;

/** TextWorld's names of the splits of its foods. */
const foodsOf = { train: 'train', validation: 'valid', test: 'test' } as const satisfies Record<SplitName, string>;

export const generators: { readonly [Name in GeneratedKind]: (options: Options<Name>) => Generator } = {
  custom: (options) => ({
    setting: `w${options.rooms}-o${options.objects}-q${options.questLength}`,
    draft: (seed) => generateCustom(options, seed),
  }),
  simple: ({ rewards, goal }) => ({
    setting: `simple-${rewards}-${goal}`,
    draft: (seed) => makeSimple(subSeeds(seed), { rewards, goal, test: false }),
  }),
  'coin-collector': (options) => ({
    setting: `coin-collector-${options.level}`,
    draft: (seed) => makeCoinCollector(subSeeds(seed), options),
  }),
  'treasure-hunter': (options) => ({
    setting: `treasure-hunter-${options.level}`,
    draft: (seed) => makeTreasureHunter(subSeeds(seed), options),
  }),
  cooking: (options) => {
    const { recipe, take, go } = options;
    const namesSplits = options.foods === 'split';
    const skills = (['open', 'cook', 'cut', 'drop'] as const).filter((skill) => options[skill]);
    const parts = [`recipe${recipe}`, `take${take}`, `go${go}`, ...skills, ...(namesSplits ? ['split'] : [])];
    return {
      setting: ['cooking', ...parts].join('-'),
      namesSplits,
      draft: (seed, split) =>
        makeCooking(subSeeds(seed), { ...options, recipeSeed: 0, split: namesSplits ? foodsOf[split] : '' }),
    };
  },
};
