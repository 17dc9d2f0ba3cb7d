import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { SplitName } from '@agentgym/cli';

/** A game of the user's folder: a `.json`, a story, or both with the same name. */
export interface GameFile {
  /** Path below the folder without its ending: `train/tw-cooking-7`. */
  readonly name: string;
  readonly json?: string;
  readonly story?: string;
  /** The split whose folder holds it. */
  readonly split?: SplitName;
}

/** Names of folders that hold a split. TextWorld's own data sets write `valid`. */
const splitFolders: { readonly [folder: string]: SplitName } = {
  train: 'train',
  valid: 'validation',
  validation: 'validation',
  test: 'test',
};
const storyEnding = /\.z[3458]$/;

/**
 * The games in `folder`, sorted by name: those in it, or, if it has folders of splits, those in these. Throws if the
 * folder cannot be read, has no games, or mixes both.
 */
export function findGameFiles(folder: string): readonly GameFile[] {
  const names = readFolder(folder);
  const splits = names.filter((name) => Object.hasOwn(splitFolders, name) && isFolder(join(folder, name)));
  const loose = gamesIn(folder, names);
  if (splits.length > 0 && loose.length > 0) {
    throw new Error(
      `${folder} has games and folders of splits (${splits.join(', ')}): move the games into the folders`,
    );
  }
  const games =
    splits.length === 0
      ? loose
      : splits.flatMap((split) => {
          const inside = join(folder, split);
          const games = gamesIn(inside, readFolder(inside));
          return games.map((game) => ({
            ...game,
            name: `${split}/${game.name}`,
            split: splitFolders[split] as SplitName,
          }));
        });
  if (games.length === 0) throw new Error(`${folder} has no games: files that end in .json or .z8`);
  return games;
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the folder of games cannot be read: ${reason}`, { cause: error });
  }
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

function gamesIn(folder: string, names: readonly string[]): GameFile[] {
  const games = new Map<string, { json?: string; story?: string }>();
  for (const name of names) {
    const kind = name.endsWith('.json') ? 'json' : storyEnding.test(name) ? 'story' : undefined;
    if (kind === undefined || isFolder(join(folder, name))) continue;
    const base = name.slice(0, name.lastIndexOf('.'));
    games.set(base, { ...games.get(base), [kind]: join(folder, name) });
  }
  return [...games].map(([name, files]) => ({ name, ...files }));
}
