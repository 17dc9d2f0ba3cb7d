import { readdirSync, statSync, type Stats } from 'node:fs';
import { basename, join } from 'node:path';

/** The published splits of ALFWorld's games, and folders that are named as agentgym's splits. */
const splitFolders = ['train', 'valid_train', 'valid_seen', 'valid_unseen', 'validation', 'test'] as const;
type SplitFolder = (typeof splitFolders)[number];

/** A game of the user's folder. */
export interface GameFile {
  /** Path below the folder without the name of the file: `valid_seen/pick_...-329/trial_...`. */
  readonly name: string;
  readonly path: string;
  /** The published split whose folder holds it. */
  readonly split?: SplitFolder;
}

const fileName = 'game.tw-pddl';
const ending = '.tw-pddl';
/** `json_2.1.1/train/TASK/TRIAL/game.tw-pddl` */
const deepest = 6;

/**
 * The games in `folder` or in folders below it, sorted by name. If it has folders of splits, those in these. Throws if
 * it cannot be read or has no games. `folder` may be one game file.
 */
export function findGameFiles(folder: string): readonly GameFile[] {
  if (statOf(folder).isFile()) return [{ name: basename(folder).replace(ending, ''), path: folder }];
  const games = [...gamesIn(folder, '', 0, undefined)].sort((one, other) => (one.name < other.name ? -1 : 1));
  if (games.length === 0) throw new Error(`${folder} has no games: files named ${fileName} or *${ending}`);
  const loose = games.filter(({ split }) => split === undefined);
  const splits = new Set(games.flatMap(({ split }) => split ?? []));
  if (splits.size > 0 && loose.length > 0) {
    throw new Error(
      `${folder} has games and folders of splits (${[...splits].join(', ')}): move the games into the folders`,
    );
  }
  return games;
}

function* gamesIn(folder: string, name: string, depth: number, split: SplitFolder | undefined): Generator<GameFile> {
  const entries = readFolder(folder);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const below = name === '' ? entry.name : `${name}/${entry.name}`;
    if (entry.name.endsWith(ending)) {
      const game = entry.name === fileName ? name || 'game' : below.slice(0, -ending.length);
      yield { name: game, path, ...(split !== undefined && { split }) };
    } else if (
      depth < deepest &&
      !entry.name.startsWith('.') &&
      (entry.isDirectory() || (entry.isSymbolicLink() && leadsToFolder(path)))
    ) {
      const found = splitFolders.find((each) => each === entry.name);
      // A folder such as json_2.1.1 above the splits is not part of the names.
      const inner = found !== undefined && split === undefined ? found : below;
      yield* gamesIn(path, inner, depth + 1, split ?? found);
    }
  }
}

function leadsToFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
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
