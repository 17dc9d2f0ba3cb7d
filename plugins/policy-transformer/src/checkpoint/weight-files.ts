/*
 * The weights of a Hugging Face folder: `model.safetensors`, or shards that `model.safetensors.index.json` names.
 * A file in Python's pickle format is never opened, because opening it can run code.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { OutsideFiles } from '@agentgym/cli';

import type { StoredType } from '../operations/half-floats.js';
import { exists, fileNames, parseJson, prettyJson, readOptional } from './folder-files.js';
import { openSafetensors, storedBytes, type TensorSource, writeTensors } from './safetensors.js';

/** A file of weights, and the tensors that belong to it. */
interface Shard {
  readonly path: string;
  /** Absent: all tensors of the file. */
  readonly names?: readonly string[];
}

/** Files are split at this size, as `transformers` does. */
const defaultShardBytes = 5e9;

/**
 * The weights of a folder as sources. Nothing is read before a source is. Throws an error that names the file and the problem if
 * a file is missing, damaged or not in the format, lacks a weight that the index places there, or has one that another
 * file has, too.
 */
export async function weightSources(files: OutsideFiles, directory: string): Promise<Map<string, TensorSource>> {
  const sources = new Map<string, TensorSource>();
  for (const { path, names } of await shardsOf(files, directory)) {
    const { tensors } = await openSafetensors(files, path);
    const missing = names?.find((name) => !tensors.has(name));
    if (missing !== undefined) {
      throw new Error(`${basename(path)} lacks ${missing}, which ${fileNames.index} places there`);
    }
    // A weight that the index does not name counts, too: ignoring it would give other numbers than its authors saw.
    for (const [name, tensor] of tensors) {
      if (sources.has(name))
        throw new Error(`${basename(path)} has ${name}, which another file of ${directory} has, too`);
      sources.set(name, tensor);
    }
  }
  return sources;
}

/** The paths of the files with the weights, in order. Throws if there are none. */
export async function weightFiles(files: OutsideFiles, directory: string): Promise<readonly string[]> {
  return (await shardsOf(files, directory)).map(({ path }) => path);
}

/** Writes weights in the given order, into shards with an index if they are larger than one shard. */
export async function writeWeights(
  directory: string,
  weights: ReadonlyMap<string, TensorSource>,
  type: StoredType = 'F32',
  shardBytes = defaultShardBytes,
): Promise<void> {
  const shards: Map<string, TensorSource>[] = [];
  let [size, total] = [Infinity, 0];
  for (const [name, tensor] of weights) {
    const bytes = storedBytes(tensor.shape, type);
    if (size + bytes > shardBytes) {
      shards.push(new Map());
      size = 0;
    }
    shards.at(-1)!.set(name, tensor);
    size += bytes;
    total += bytes;
  }
  const metadata = { format: 'pt' };
  if (shards.length <= 1) return writeTensors(join(directory, fileNames.weights), weights, metadata, type);
  const map: { [name: string]: string } = {};
  for (const [index, shard] of shards.entries()) {
    const file = `model-${numbered(index + 1)}-of-${numbered(shards.length)}.safetensors`;
    await writeTensors(join(directory, file), shard, metadata, type);
    for (const name of shard.keys()) map[name] = file;
  }
  const index = { metadata: { total_size: total }, weight_map: map };
  await writeFile(join(directory, fileNames.index), prettyJson(index));
}

/** The files of weights. `transformers` prefers the whole file to an index, and so does this function. */
async function shardsOf(files: OutsideFiles, directory: string): Promise<readonly Shard[]> {
  const whole = join(directory, fileNames.weights);
  if (await exists(whole)) return [{ path: whole }];
  const index = await readOptional(files, directory, fileNames.index);
  if (index === undefined) throw await withoutWeights(directory);
  const { weight_map: map } = parseJson(index, fileNames.index);
  if (typeof map !== 'object' || map === null) throw new Error(`${fileNames.index} has no weight_map`);
  const shards = new Map<string, string[]>();
  for (const [name, shard] of Object.entries(map)) {
    // A path that leaves the folder would read an unrelated file.
    if (typeof shard !== 'string' || shard !== basename(shard) || shard === '')
      throw new Error(`${fileNames.index} names ${JSON.stringify(shard)}, which is not a file name`);
    shards.set(shard, [...(shards.get(shard) ?? []), name]);
  }
  const found = [...shards].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [shard] of found) {
    if (!(await exists(join(directory, shard))))
      throw new Error(`${directory} lacks ${shard}, which ${fileNames.index} names`);
  }
  return found.map(([shard, names]) => ({ path: join(directory, shard), names }));
}

async function withoutWeights(directory: string): Promise<Error> {
  const names = await readdir(directory).catch(() => [] as string[]);
  const pickle = names.find((name) => /^(pytorch_model.*|.*\.(pt|pth|ckpt|pkl))\.?(bin|index\.json)?$/.test(name));
  if (pickle === undefined) return new Error(`${directory} has no ${fileNames.weights}`);
  return new Error(
    `${directory} has no ${fileNames.weights}, only ${pickle}. This is a pickle file, and opening it can run code. ` +
      `Convert it where you trust it: python -c "from transformers import AutoModelForCausalLM as M; ` +
      `M.from_pretrained('FOLDER').save_pretrained('NEW_FOLDER', safe_serialization=True)"`,
  );
}

function numbered(number: number): string {
  return String(number).padStart(5, '0');
}
