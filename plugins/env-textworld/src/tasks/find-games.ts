import type { SplitName } from '@agentgym/cli';
import { findGameFiles, type GameLayout } from '@agentgym/world-kit';

/** A game of the user's folder: a `.json`, a story, or both with the same name. */
export interface FoundGame {
  /** Path below the folder without its ending: `train/tw-cooking-7`. */
  readonly name: string;
  readonly json?: string;
  readonly story?: string;
  /** The split whose folder holds it. */
  readonly split?: SplitName;
}

const gameEnding = /\.(?:json|z[3458])$/;

const layout: GameLayout<SplitName> = {
  isGame: (fileName) => gameEnding.test(fileName),
  // TextWorld's own data sets write `valid`.
  splitFolders: { train: 'train', valid: 'validation', validation: 'validation', test: 'test' },
  depth: 0,
  kind: 'files that end in .json or .z8',
};

/** The games in a folder: those in it, or, if it has folders of splits, those in these. Throws as `findGameFiles` does. */
export function findGames(folder: string): readonly FoundGame[] {
  const games = new Map<string, FoundGame>();
  for (const { name: fileName, path, split } of findGameFiles(folder, layout)) {
    const name = fileName.replace(gameEnding, '');
    const kind = fileName.endsWith('.json') ? 'json' : 'story';
    games.set(name, { ...games.get(name), name, [kind]: path, ...(split !== undefined && { split }) });
  }
  return [...games.values()];
}
