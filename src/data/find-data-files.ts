// Which files hold the rows of a data set, and of which part they are. A folder is read as the Hugging Face hub reads it:
// the front matter of README.md, or else the names of files and folders.
import { stat } from 'node:fs/promises';
import { basename, join, posix, resolve } from 'node:path';

import type { DataSetOptions } from '../contracts/data-set.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { filesBelow } from '../files/files-below.js';
import { dataError } from './data-error.js';
import { readCard, type CardConfig } from './hub-card.js';
import { matchesPattern } from './match-pattern.js';

/** A file of rows. */
export interface FoundFile {
  /** Relative to the folder; without a folder the name of the file. */
  readonly name: string;
  readonly path: string;
  readonly part: string;
  readonly format: 'json' | 'parquet';
}

const formats: Readonly<Record<string, FoundFile['format']>> = {
  '.jsonl': 'json',
  '.ndjson': 'json',
  '.json': 'json',
  '.parquet': 'parquet',
};
/** In a folder, other files of JSON describe it. */
const rowFile = /\.(jsonl|ndjson|parquet)$/;
/** Words in names of files that tell the part, as on the hub. */
const words: Readonly<Record<string, readonly string[]>> = {
  train: ['train', 'training'],
  validation: ['validation', 'valid', 'val', 'dev'],
  test: ['test', 'testing', 'eval', 'evaluation'],
};

/**
 * The files of a data set in the order of their rows: part after part, and in a part by their names.
 *
 * @throws AG_DATA if there are none, or several configurations
 */
export async function findDataFiles({ files, config }: DataSetOptions): Promise<readonly FoundFile[]> {
  if (typeof files === 'string') {
    const path = resolve(files);
    // A missing file is told when it is opened.
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isFolder) return inFolder(path, config);
  }
  if (config !== undefined) {
    throw new AgentgymError('AG_DATA', {
      message: `The configuration "${config}" is given for files; only a folder has configurations.`,
      hint: 'Give the folder as `files`, or leave `config` out.',
    });
  }
  const parts =
    typeof files === 'string' || Array.isArray(files) ? { train: files as string | readonly string[] } : files;
  const found = Object.entries(parts).flatMap(([part, paths]) =>
    (typeof paths === 'string' ? [paths] : paths).map((path) => foundFile(basename(path), resolve(path), part)),
  );
  if (found.length > 0) return found;
  throw new AgentgymError('AG_DATA', { message: 'The data set has no files.', hint: 'Name at least one in `files`.' });
}

async function inFolder(folder: string, config: string | undefined): Promise<readonly FoundFile[]> {
  // Downloads keep their records in hidden files.
  const names = (await filesBelow(folder)).filter((name) => !/(^|\/)\./.test(name));
  const card = await readCard(folder);
  const chosen = card.length > 0 ? configOf(card, folder, config) : { folder: folderOf(names, folder, config) };
  const below = chosen.folder === '' ? '' : `${posix.normalize(chosen.folder).replace(/\/$/, '')}/`;
  const found =
    'parts' in chosen && chosen.parts !== undefined
      ? chosen.parts.flatMap(({ name: part, patterns }) => {
          const isOfPart = (name: string) =>
            patterns.some((pattern) => matchesPattern(name, posix.join(below, pattern)));
          const ofPart = names.filter(isOfPart);
          if (ofPart.length === 0) {
            const problem = `has no file for the part "${part}": README.md says ${patterns.join(', ')}`;
            throw dataError(folder, { problem, hint: 'Download the whole folder, or correct README.md.' });
          }
          return ofPart.map((name) => ({ name, part }));
        })
      : byNames(
          names.filter((name) => name.startsWith(below) && rowFile.test(name)),
          below,
        );
  // README.md may name a part twice.
  const order = [...new Set(found.map(({ part }) => part))];
  found.sort((a, b) => order.indexOf(a.part) - order.indexOf(b.part));
  if (found.length > 0) return found.map(({ name, part }) => foundFile(name, join(folder, name), part));
  const packed = names.find((name) => /\.(jsonl?|ndjson|csv|arrow)(\.(gz|zst|bz2|xz))?$/.test(name));
  throw dataError(folder, {
    problem: `has no file of rows${config === undefined ? '' : ` for the configuration "${config}"`}`,
    hint: `Files of rows end with .parquet, .jsonl or .ndjson.${packed === undefined ? '' : ` Unpack or convert ${packed}.`}`,
  });
}

function configOf(card: readonly CardConfig[], folder: string, config: string | undefined): CardConfig {
  const [only, ...others] = card;
  const chosen =
    config === undefined
      ? (card.find(({ isDefault, name }) => isDefault || name === 'default') ??
        (others.length === 0 ? only : undefined))
      : card.find(({ name }) => name === config);
  const names = card.map(({ name }) => name);
  return chosen ?? refuseConfig(folder, config, names);
}

/** The folder of a configuration without a README.md: that of its name, or the only one. */
function folderOf(names: readonly string[], folder: string, config: string | undefined): string {
  const rows = names.filter((name) => rowFile.test(name));
  const folders = new Set(rows.flatMap((name) => /^(.+?)\//.exec(name)?.slice(1) ?? ['']));
  if (config !== undefined) return folders.has(config) ? config : refuseConfig(folder, config, [...folders]);
  const isShared = (name: string) => name === '' || name === 'data' || partOf(name) !== undefined;
  if ([...folders].some(isShared) || folders.size === 0) return '';
  return folders.size === 1 ? ([...folders][0] as string) : refuseConfig(folder, config, [...folders]);
}

function refuseConfig(folder: string, config: string | undefined, names: readonly string[]): never {
  const known = names.filter((name) => name !== '').join(', ');
  const problem = config === undefined ? 'has several configurations' : `has no configuration "${config}"`;
  throw dataError(folder, {
    problem,
    hint: known === '' ? 'Leave `config` out.' : `Set \`config\` to one of: ${known}.`,
  });
}

/** Files with their parts by name. If no name tells one, all are of the part `train`. */
function byNames(names: readonly string[], below: string): { readonly name: string; readonly part: string }[] {
  const known = names.flatMap((name) => {
    const part = partOf(name.slice(below.length));
    return part === undefined ? [] : [{ name, part }];
  });
  if (known.length === 0) return names.map((name) => ({ name, part: 'train' }));
  const parts = Object.keys(words);
  return known.sort((a, b) => parts.indexOf(a.part) - parts.indexOf(b.part));
}

/** The part that a path names. The name of the file counts first, then those of its folders. */
function partOf(path: string): string | undefined {
  for (const piece of path.split('/').reverse()) {
    const found = piece.toLowerCase().split(/[^a-z]+/);
    const part = Object.keys(words).find((name) => words[name]?.some((word) => found.includes(word)));
    if (part !== undefined) return part;
  }
  return undefined;
}

function foundFile(name: string, path: string, part: string): FoundFile {
  const format = formats[posix.extname(name).toLowerCase()];
  if (format !== undefined) return { name, path, part, format };
  throw dataError(path, {
    problem: 'is no file of rows by its name',
    hint: 'Files of rows end with .parquet, .jsonl, .ndjson or .json. Unpack or convert others first.',
  });
}
