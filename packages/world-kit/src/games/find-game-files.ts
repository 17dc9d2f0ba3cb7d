import { readdirSync, statSync, type Dirent, type Stats } from 'node:fs';
import { basename, join } from 'node:path';

/** How a folder of games is laid out. */
export interface GameLayout<Split extends string> {
  /** Which files are games, by their names. */
  readonly isGame: (fileName: string) => boolean;
  /** Names of folders that hold a split, and the split. */
  readonly splitFolders: Readonly<Record<string, Split>>;
  /** How deep other folders are searched; 0: only `folder` itself and folders of splits are. */
  readonly depth: number;
  /** What `isGame` takes, for the error: "files that end in .json". */
  readonly kind: string;
}

/** A file with a game. */
export interface GameFile<Split extends string> {
  /** Path below the folder, with slashes; from the folder of its split on, if it is in one. */
  readonly name: string;
  readonly path: string;
  /** The split whose folder holds it. */
  readonly split?: Split;
}

/**
 * The games in a folder: those in it, or, if it has folders of splits with games, those in these. Within each folder they
 * are in the order of their names. `folder` may also be one game. Links are followed; hidden folders are not searched.
 *
 * @throws Error if the folder cannot be read, has no games, or mixes both
 */
export function findGameFiles<Split extends string>(
  folder: string,
  layout: GameLayout<Split>,
): readonly GameFile<Split>[] {
  const games =
    statOf(folder).isFile() && layout.isGame(basename(folder))
      ? [{ name: basename(folder), path: folder }]
      : [...gamesIn({ path: folder, name: '', depth: layout.depth }, layout)];
  if (games.length === 0) throw new Error(`${folder} has no games: ${layout.kind}`);
  const splits = new Set(games.flatMap(({ name, split }) => (split === undefined ? [] : name.split('/', 1))));
  if (splits.size > 0 && games.some(({ split }) => split === undefined)) {
    const found = [...splits].join(', ');
    throw new Error(`${folder} has games and folders of splits (${found}): move the games into the folders`);
  }
  return games;
}

/** A folder on the way down. */
interface Level<Split> {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly split?: Split;
}

function* gamesIn<Split extends string>(level: Level<Split>, layout: GameLayout<Split>): Generator<GameFile<Split>> {
  for (const entry of readFolder(level.path)) {
    const { name } = entry;
    const path = join(level.path, name);
    const below = level.name === '' ? name : `${level.name}/${name}`;
    const inherited = level.split !== undefined && { split: level.split };
    const found = Object.hasOwn(layout.splitFolders, name) && !inherited ? layout.splitFolders[name] : undefined;
    const isGame = layout.isGame(name);
    const isSearched = found !== undefined || (level.depth > 0 && !name.startsWith('.'));
    if (!isGame && !isSearched) continue;
    // Only links are looked up: folders of games may have a million other files.
    const target = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: isGame }) : entry;
    const isFolder = target?.isDirectory() === true;
    if (isGame && !isFolder) yield { name: below, path, ...inherited };
    if (!isSearched || !isFolder) continue;
    const split = found === undefined ? inherited : { split: found };
    // Names begin with the split: a folder above it, such as json_2.1.1, is no part of them.
    yield* gamesIn({ path, name: found === undefined ? below : name, depth: level.depth - 1, ...split }, layout);
  }
}

function readFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    throw unreadable(error);
  }
}

function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`the folder of games cannot be read: ${reason}`, { cause: error });
}
