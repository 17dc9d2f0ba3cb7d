import { basename } from 'node:path';

import { findGameFiles, type GameFile, type GameLayout } from '@agentgym/world-kit';

/** The published splits of ALFWorld's games, and folders that are named as agentgym's splits. */
const splitFolders = ['train', 'valid_train', 'valid_seen', 'valid_unseen', 'validation', 'test'] as const;
type SplitFolder = (typeof splitFolders)[number];

/** A game; its name has no ending, and no name of the file if that is the usual one: `valid_seen/pick_...-329/trial_...`. */
export type FoundGame = GameFile<SplitFolder>;

const fileName = 'game.tw-pddl';
const ending = '.tw-pddl';

const layout: GameLayout<SplitFolder> = {
  isGame: (name) => name.endsWith(ending),
  splitFolders: Object.fromEntries(splitFolders.map((name) => [name, name])),
  // json_2.1.1/train/TASK/TRIAL/game.tw-pddl
  depth: 6,
  kind: `files named ${fileName} or *${ending}`,
};

/** The games in a folder or below it, sorted by name; `folder` may be one game. Throws as `findGameFiles` does. */
export function findGames(folder: string): readonly FoundGame[] {
  const games = findGameFiles(folder, layout).map((file) => ({ ...file, name: nameOf(file) }));
  return games.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function nameOf({ name }: FoundGame): string {
  return basename(name) === fileName ? name.slice(0, -fileName.length - 1) || 'game' : name.slice(0, -ending.length);
}
