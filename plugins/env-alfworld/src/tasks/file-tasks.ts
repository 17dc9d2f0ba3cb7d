import { dirname, join } from 'node:path';

import type { EnvironmentHost, OutsideFiles, SplitName, TaskFacts } from '@agentgym/cli';
import { Recent, sortFolderTasks, splitByHash, type FolderTask, type TaskBook } from '@agentgym/world-kit';

import { readGame, type Game } from '../game/game.js';
import { GameError } from '../game/game-error.js';
import { readGameFile } from '../game/game-file.js';
import { checkPlayable, type PlayableGame } from '../game/playable.js';
import type { Options } from '../options.js';
import { taskKindOf } from '../plan/task-kind-of.js';
import { findGames, type FoundGame } from './find-games.js';
import type { Task } from './task.js';
import { readTrajectory, type Trajectory } from './trajectory.js';

const keptGames = 128;
/** Bytes. ALFWorld's own games have about a tenth of a megabyte. */
const largestGame = 16 * 2 ** 20;

/**
 * Tasks of the user's folder: `valid_seen/pick_and_place_simple-Book-None-SideTable-329/trial_...`. All files are read
 * once here, so that a broken one is named before anything is played. Games that cannot be won, or are won from the
 * start, are left out, and counted in the log; if nothing else is left, the reason is thrown.
 */
export function openFileTasks(
  options: Options,
  { files: opener, log }: Pick<EnvironmentHost, 'files' | 'log'>,
): TaskBook<Task> {
  const listed = findGames(options.games ?? '');
  const playable = new Map<string, FolderTask<FoundGame>>();
  const refused: { readonly path: string; readonly reason: string }[] = [];
  for (const file of listed) {
    const loaded = tryLoad(opener, file, options);
    if ('reason' in loaded) {
      refused.push({ path: file.path, reason: loaded.reason });
      continue;
    }
    if (!options.tasks.includes(String(loaded.about.labels?.['task']))) continue;
    const split = splitOf(file, loaded.about.cluster ?? file.name, options);
    playable.set(file.name, { file, split, about: loaded.about });
  }
  if (playable.size === 0) {
    const [first] = refused;
    throw new Error(
      first === undefined
        ? `none of the ${listed.length} games in ${options.games} is of the kinds ${options.tasks.join(', ')}`
        : `${first.path}: ${first.reason}`,
    );
  }
  if (refused.length > 0) {
    const [first] = refused as [{ readonly path: string; readonly reason: string }];
    log.info(`${refused.length} of ${listed.length} games are left out; the first is ${first.path}: ${first.reason}`);
  }
  const { fileOf, ...tasks } = sortFolderTasks(playable);
  const games = new Recent<Game>(keptGames);
  const read = (id: string): Task => ({ id, game: games.get(id, () => load(opener, fileOf(id), options).game) });
  return { ...tasks, read };
}

/** The published splits; without their folders, the scene decides. */
function splitOf({ name, split }: FoundGame, cluster: string, { heldOut }: Options): SplitName {
  if (split === undefined) return splitByHash(cluster);
  if (split === 'train' || split === 'validation' || split === 'test') return split;
  if (heldOut === 'unseen') return split === 'valid_unseen' ? 'test' : 'validation';
  // Half of the games of either folder, whatever else is there.
  return splitByHash(name, { shares: { validation: 1, test: 1 } });
}

type Loaded = { readonly about: TaskFacts } | { readonly reason: string };

/** What is known about a game, or why it cannot be played. Throws if its file is broken. */
function tryLoad(files: OutsideFiles, file: FoundGame, options: Options): Loaded {
  const { game, solvable } = read(files, file, options);
  if (solvable === false) return { reason: 'its makers found that it cannot be won ("solvable": false)' };
  let playable: PlayableGame;
  try {
    playable = checkPlayable(game, options.compat);
  } catch (error) {
    if (error instanceof GameError) return { reason: error.message };
    throw named(file, error);
  }
  const trajectory = readTrajectory(files, join(dirname(file.path), 'traj_data.json'), file.name);
  return { about: aboutGame(playable, trajectory, file) };
}

function load(files: OutsideFiles, file: FoundGame, options: Options): PlayableGame {
  return checkPlayable(read(files, file, options).game, options.compat);
}

function read(
  files: OutsideFiles,
  file: FoundGame,
  { compat }: Options,
): { readonly game: Game; readonly solvable: boolean | undefined } {
  const text = files.readSync(file.path, largestGame).toString('utf8');
  try {
    const content = readGameFile(text);
    return { game: readGame(content, compat), solvable: content.solvable };
  } catch (error) {
    throw named(file, error);
  }
}

/** The error of a game, with its file. */
function named({ path }: FoundGame, error: unknown): Error {
  return new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

function aboutGame({ game, planLength }: PlayableGame, { scene, room }: Trajectory, { split }: FoundGame): TaskFacts {
  const isUnseen = split === 'valid_unseen' || split === 'validation' || split === 'test';
  return {
    ...(scene !== undefined && { cluster: scene }),
    labels: {
      task: taskKindOf(game) ?? 'other',
      ...(room !== undefined && { room }),
      ...(split !== undefined && { scene: isUnseen ? 'unseen' : 'seen' }),
      receptacles: game.setting.ofType('receptacle').length,
      planLength,
    },
  };
}
