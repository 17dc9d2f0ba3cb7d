import type { OutsideFiles, TaskFacts } from '@agentgym/cli';
import { digestOf, Recent, sortFolderTasks, splitOfDigest, type TaskBook } from '@agentgym/world-kit';

import type { Game } from '../game/game.js';
import { readGame } from '../game/read-game.js';
import { NativeAdventure } from '../native-adventure.js';
import type { Options } from '../options.js';
import { TextworldStory } from '../story/textworld-story.js';
import { openStory } from '../story/story.js';
import { aboutGame } from './about-game.js';
import { findGames, type FoundGame } from './find-games.js';
import type { Task } from './task.js';

const keptGames = 64;
/** Bytes. TextWorld's own games have up to a megabyte; the Z-machine ends at half a megabyte. */
const largestGame = 16 * 2 ** 20;
const largestStory = 512 * 2 ** 10;

/**
 * Tasks of the user's folder: `games/train/tw-cooking-7`. All files are read once here, so that a broken one is named
 * before anything is played. Without folders of splits, a game's cluster decides its split.
 */
export function openFileTasks(options: FileOptions, opener: OutsideFiles): TaskBook<Task> {
  const found = findGames(options.games ?? '').map((file) => {
    const id = `games/${file.name}`;
    const { about } = load(opener, id, file, options);
    return [id, { file, about, split: file.split ?? splitOfDigest(about.cluster ?? '') }] as const;
  });
  const { fileOf, ...tasks } = sortFolderTasks(new Map(found));
  const recent = new Recent<Task>(keptGames);
  return { ...tasks, read: (id) => recent.get(id, () => load(opener, id, fileOf(id), options)) };
}

type FileOptions = Pick<Options<'files'>, 'games' | 'play' | 'compat'>;

interface LoadedTask extends Task {
  readonly about: TaskFacts;
}

function load(files: OutsideFiles, id: string, { json, story }: FoundGame, { play, compat }: FileOptions): LoadedTask {
  const game = json === undefined ? undefined : readGameFile(files, json);
  if (story === undefined || (play === 'engine' && game !== undefined)) {
    return named(json as string, () =>
      tried(id, aboutGame(game as Game), () => new NativeAdventure(game as Game, compat)),
    );
  }
  const bytes = files.readSync(story, largestStory);
  return named(story, () => {
    const file = openStory(bytes);
    const about = game === undefined ? { cluster: digestOf(bytes) } : aboutGame(game);
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
