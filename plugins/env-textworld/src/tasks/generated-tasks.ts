import type { SplitName, TaskFacts } from '@agentgym/cli';

import { ChallengeError } from '../challenges/challenge-error.js';
import type { GameDraft } from '../generate/draft.js';
import { QuestGenerationError } from '../generate/quest-generation-error.js';
import { NativeAdventure } from '../native-adventure.js';
import type { Options } from '../options.js';
import { writeProse } from '../prose/write-prose.js';
import { aboutGame } from './about-game.js';
import { draftGame } from './generate-game.js';
import type { Task, TaskBook } from './task.js';
import { Recent } from './recent.js';
import { settingOf } from './setting.js';
import { largestSeed, listBySeed, listByStructure } from './task-list.js';

/** Games that stay in memory; the episodes of a group play the same one. */
const keptGames = 256;
/** Enough for tasks that are listed, and asked about soon after. */
const keptFacts = 10_000;
/** Drafts that stay in memory from when they are listed until they are written. */
const keptDrafts = 64;
const triedSeeds = 16;
/** Generators with too few different quests and maps to hold some out: `simple` has three. */
const fewPuzzles: readonly Options['game'][] = ['simple', 'coin-collector'];

interface SeededDraft {
  readonly game: GameDraft;
  readonly seed: number;
}

/** Tasks of a generator: `w2-o3-q4/17`, and `.../train-17` where the foods of cooking games depend on the split. */
export function openGeneratedTasks(options: Options): TaskBook {
  const setting = settingOf(options);
  const splitsFoods = options.game === 'cooking' && options.foods === 'split';
  const pattern = new RegExp(`^${setting}/${splitsFoods ? '(train|validation|test)-' : '()'}(0|[1-9]\\d{0,9})$`);
  const prefix = (split: SplitName) => (splitsFoods ? `${setting}/${split}-` : `${setting}/`);
  const known = {
    games: new Recent<Task>(keptGames),
    facts: new Recent<TaskFacts>(keptFacts),
    drafts: new Recent<SeededDraft>(keptDrafts),
  };

  const makeDraft = (id: string): SeededDraft => {
    const match = pattern.exec(id);
    const seed = Number(match?.[2] ?? largestSeed + 1);
    if (match === null || seed > largestSeed) {
      throw new Error(
        `${JSON.stringify(id.slice(0, 100))} is not a task of these options; their ids look like ${prefix('train')}17`,
      );
    }
    return { game: draftGame(options, seed, (match[1] as SplitName | '') || 'train'), seed };
  };
  const draft = (id: string) => known.drafts.get(id, () => makeDraft(id));
  const about = (id: string) => known.facts.get(id, () => aboutGame(draft(id).game));
  const clusterOf = (id: string): string => {
    try {
      return about(id).cluster ?? '';
    } catch (error) {
      // For some options, the generator finds no quest with many of the seeds.
      if (error instanceof QuestGenerationError || error instanceof ChallengeError) return '';
      throw error;
    }
  };
  refuseImpossible((seed) => draft(`${prefix('train')}${seed}`));

  const bySeed = options.splits === 'seeds' || (options.splits === 'auto' && fewPuzzles.includes(options.game));
  return {
    splits: bySeed ? listBySeed(prefix) : listByStructure({ prefix, clusterOf }),
    sharesClusters: bySeed,
    about,
    read: (id) => known.games.get(id, () => write(id, draft(id), options)),
  };
}

/** Throws what the generator says if it refuses one seed after the other: here, and not in the first episode. */
function refuseImpossible(generate: (seed: number) => unknown): void {
  for (let seed = 1; seed <= triedSeeds; seed += 1) {
    try {
      generate(seed);
      return;
    } catch (error) {
      if (seed === triedSeeds) throw error;
    }
  }
}

function write(id: string, { game, seed }: SeededDraft, options: Options): Task {
  const written = writeProse(game, { seed, instructions: options.instructions });
  return { id, begin: () => new NativeAdventure(written, options.compat) };
}
