import type { SplitName, TaskFacts } from '@agentgym/cli';
import { Recent, unknownTask, type TaskBook } from '@agentgym/world-kit';

import { ChallengeError } from '../challenges/challenge-error.js';
import type { GameDraft } from '../generate/draft.js';
import { QuestGenerationError } from '../generate/quest-generation-error.js';
import { NativeAdventure } from '../native-adventure.js';
import { writeProse, type ProseOptions } from '../prose/write-prose.js';
import type { Compat } from '../text/compat.js';
import { aboutGame } from './about-game.js';
import type { Generator } from './generators.js';
import type { Task } from './task.js';
import { largestSeed, listBySeed, listByStructure } from './task-list.js';

/** Games that stay in memory; the episodes of a group play the same one. */
const keptGames = 256;
/** Enough for tasks that are listed, and asked about soon after. */
const keptFacts = 10_000;
/** Drafts that stay in memory from when they are listed until they are written. */
const keptDrafts = 64;
const triedSeeds = 16;

interface GeneratedOptions extends Pick<ProseOptions, 'instructions'> {
  /** Absent: by seeds, because there are too few puzzles to hold some out. */
  readonly splits?: 'structure' | 'seeds';
  readonly compat: Compat;
}

interface SeededDraft {
  readonly game: GameDraft;
  readonly seed: number;
}

/** Tasks of a generator: `w2-o3-q4/17`, or `w2-o3-q4-last/17` if the objective tells only the last step. */
export function openGeneratedTasks(generator: Generator, options: GeneratedOptions): TaskBook<Task> {
  const { namesSplits = false } = generator;
  const setting = `${generator.setting}${options.instructions === 'last' ? '-last' : ''}`;
  const pattern = new RegExp(`^${setting}/${namesSplits ? '(train|validation|test)-' : '()'}(0|[1-9]\\d{0,9})$`);
  const prefix = (split: SplitName) => (namesSplits ? `${setting}/${split}-` : `${setting}/`);
  const known = {
    games: new Recent<Task>(keptGames),
    facts: new Recent<TaskFacts>(keptFacts),
    drafts: new Recent<SeededDraft>(keptDrafts),
  };

  const makeDraft = (id: string): SeededDraft => {
    const match = pattern.exec(id);
    const seed = Number(match?.[2] ?? largestSeed + 1);
    if (match === null || seed > largestSeed) {
      throw unknownTask(id, 'a task of these options', `${prefix('train')}17`);
    }
    return { game: generator.draft(seed, (match[1] as SplitName | '') || 'train'), seed };
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

  const bySeed = options.splits !== 'structure';
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

function write(id: string, { game, seed }: SeededDraft, { instructions = 'steps', compat }: GeneratedOptions): Task {
  const written = writeProse(game, { seed, instructions });
  return { id, begin: () => new NativeAdventure(written, compat) };
}
