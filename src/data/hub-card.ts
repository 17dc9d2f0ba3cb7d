import { join } from 'node:path';

import * as v from 'valibot';
import { parse } from 'yaml';

import { messageOf } from '../errors/message-of.js';
import { readTextFile } from '../files/read-whole-file.js';
import { dataError } from './data-error.js';

const largestCard = 2 ** 22;

const paths = v.union([
  v.pipe(
    v.string(),
    v.transform((path) => [path]),
  ),
  v.array(v.string()),
]);
const byPart = v.array(v.object({ split: v.string(), path: paths }));
const record = v.pipe(
  v.record(v.string(), paths),
  v.transform((parts) => Object.entries(parts).map(([split, path]) => ({ split, path }))),
);
/** Files without a part are for training. */
const whole = v.pipe(
  paths,
  v.transform((path) => [{ split: 'train', path }]),
);
const cardSchema = v.object({
  configs: v.optional(
    v.array(
      v.object({
        config_name: v.string(),
        data_files: v.optional(v.union([byPart, whole, record])),
        data_dir: v.optional(v.string()),
        default: v.optional(v.boolean()),
      }),
    ),
    [],
  ),
});

/** A configuration of a data set: patterns of its files by part, or the folder where they are. */
export interface CardConfig {
  readonly name: string;
  readonly isDefault: boolean;
  /** Relative to the data set's folder; empty for the folder itself. */
  readonly folder: string;
  /** In the order of the card. Absent: the names of the files tell their parts. */
  readonly parts?: readonly { readonly name: string; readonly patterns: readonly string[] }[];
}

/**
 * The configurations that the README.md of a folder declares in its front matter, under the key `configs`
 * (https://huggingface.co/docs/hub/datasets-manual-configuration); none if there is no such README.md.
 *
 * @throws AG_DATA if the front matter is no YAML, or has other data
 */
export async function readCard(folder: string): Promise<readonly CardConfig[]> {
  const path = join(folder, 'README.md');
  const text = await readTextFile(path, largestCard).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  const front = /^\uFEFF?---\r?\n(.*?)\r?\n---[ \t]*(\r?\n|$)/s.exec(text)?.[1];
  if (front === undefined) return [];
  const hint = 'Correct the front matter, or name the files of each part in `files`.';
  let card: v.InferOutput<typeof cardSchema>;
  try {
    card = v.parse(cardSchema, parse(front) ?? {});
  } catch (cause) {
    throw dataError(path, { problem: `does not say which files it has (${messageOf(cause)})`, hint, cause });
  }
  return card.configs.map(
    ({ config_name: name, data_files: files, data_dir: directory, default: isDefault = false }) => ({
      name,
      isDefault,
      folder: directory ?? '',
      ...(files !== undefined && { parts: files.map((part) => ({ name: part.split, patterns: part.path })) }),
    }),
  );
}
