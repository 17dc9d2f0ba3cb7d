import { createHash } from 'node:crypto';

import type { OutsideFiles, SplitName, TaskFacts, TaskSource } from '@agentgym/cli';

import type { Game } from '../game/game.js';
import { readGame } from '../game/read-game.js';
import { NativeAdventure } from '../native-adventure.js';
import type { Options } from '../options.js';
import { TextworldStory } from '../story/textworld-story.js';
import { openStory } from '../story/story.js';
import { aboutGame } from './about-game.js';
import { findGameFiles, type GameFile } from './find-game-files.js';
import type { Task, TaskBook } from './task.js';
import { Recent } from './recent.js';
import { splitOf } from './task-list.js';

const keptGames = 64;
/** Bytes. TextWorld's own games have up to a megabyte; the Z-machine ends at half a megabyte. */
const largestGame = 16 * 2 ** 20;
const largestStory = 512 * 2 ** 10;

/**
 * Tasks of the user's folder: `games/train/tw-cooking-7`. All files are read once here, so that a broken one is named
 * before anything is played. Without folders of splits, a game's cluster decides its split.
 */
export function openFileTasks(options: Options, opener: OutsideFiles): TaskBook {
  const files = new Map(findGameFiles(options.games ?? '').map((file) => [`games/${file.name}`, file]));
  const places: Record<SplitName, string[]> = { train: [], validation: [], test: [] };
  const clusters = new Map<string, SplitName>();
  const about = new Map<string, TaskFacts>();
  let sharesClusters = false;
  for (const [id, file] of files) {
    const facts = load(opener, id, file, options).about;
    about.set(id, facts);
    const cluster = facts.cluster ?? id;
    const split = file.split ?? splitOf(cluster);
    places[split].push(id);
    sharesClusters ||= (clusters.get(cluster) ?? split) !== split;
    clusters.set(cluster, split);
  }
  const tasks = new Recent<Task>(keptGames);
  const find = <Value>(values: ReadonlyMap<string, Value>, id: string): Value => {
    const value = values.get(id);
    if (value !== undefined) return value;
    const [example] = files.keys();
    throw new Error(`${JSON.stringify(id.slice(0, 100))} is not a game of the folder; ids look like ${example}`);
  };
  const source = (split: SplitName): TaskSource => {
    const ids = places[split];
    return { count: ids.length, id: (place) => ids[place] ?? '', random: (random) => random.choice(ids) };
  };
  return {
    splits: { train: source('train'), validation: source('validation'), test: source('test') },
    sharesClusters,
    about: (id) => find(about, id),
    read: (id) => tasks.get(id, () => load(opener, id, find(files, id), options)),
  };
}

interface LoadedTask extends Task {
  readonly about: TaskFacts;
}

function load(files: OutsideFiles, id: string, { json, story }: GameFile, { play, compat }: Options): LoadedTask {
  const game = json === undefined ? undefined : readGameFile(files, json);
  if (story === undefined || (play === 'engine' && game !== undefined)) {
    return named(json as string, () =>
      tried(id, aboutGame(game as Game), () => new NativeAdventure(game as Game, compat)),
    );
  }
  const bytes = files.readSync(story, largestStory);
  return named(story, () => {
    const file = openStory(bytes);
    const cluster = () => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    const about = game === undefined ? { cluster: cluster() } : aboutGame(game);
    return tried(id, about, () => new TextworldStory(file, game));
  });
}

/** A task that was begun once: only so is it known whether its texts can be printed and its story starts. */
function tried(id: string, about: TaskFacts, begin: Task['begin']): LoadedTask {
  const adventure = begin();
  adventure.start();
  adventure.dispose?.();
  return { id, about, begin };
}

function readGameFile(files: OutsideFiles, path: string): Game {
  const text = files.readSync(path, largestGame).toString('utf8');
  return named(path, () => readGame(JSON.parse(text)));
}

/** Names the file in errors about it. */
function named<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
