import { access, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { DecoderConfig } from '../model/decoder-config.js';
import { parseDecoderConfig, parseSpecialIds, type SpecialIds, writeDecoderConfig } from './decoder-config-json.js';
import { type HostTensor, readSafetensors, readShapes, writeSafetensors } from './safetensors.js';

/** The content of a Hugging Face folder that `transformers` can open. */
export interface ModelFolder {
  readonly config: DecoderConfig;
  /** Keys are Hugging Face's names, `model.embed_tokens.weight` and so on. Projections are [out, in]. */
  readonly weights: ReadonlyMap<string, HostTensor>;
  /** `eos` comes from generation_config.json if that file exists. */
  readonly ids: SpecialIds;
  /** Texts of the tokenizer's files, saved as they were read. */
  readonly tokenizer: {
    readonly tokenizer: string;
    readonly config: string;
    readonly chatTemplate?: string;
  };
}

const names = {
  config: 'config.json',
  weights: 'model.safetensors',
  index: 'model.safetensors.index.json',
  generation: 'generation_config.json',
  tokenizer: 'tokenizer.json',
  tokenizerConfig: 'tokenizer_config.json',
  chatTemplate: 'chat_template.jinja',
} as const;

/** Reads a folder with one file of weights or with shards. Throws an error that names the file and the problem. */
export async function readModelFolder(directory: string): Promise<ModelFolder> {
  return { ...(await readModelTexts(directory)), weights: await readWeights(directory) };
}

/**
 * Reads everything in a folder except its weights.
 * @param tokenizerDirectory the folder of the tokenizer, if it is another one
 */
export async function readModelTexts(
  directory: string,
  tokenizerDirectory = directory,
): Promise<Omit<ModelFolder, 'weights'>> {
  const configJson = parseJson(await readText(directory, names.config), names.config);
  const config = parseDecoderConfig(configJson);
  const tokenizer = await readText(tokenizerDirectory, names.tokenizer);
  const tokenizerConfig = (await readOptional(tokenizerDirectory, names.tokenizerConfig)) ?? '{}';
  const chatTemplate = await readOptional(tokenizerDirectory, names.chatTemplate);
  const generation = await readOptional(directory, names.generation);
  const ids = parseSpecialIds(configJson);
  const { eos } = generation === undefined ? ids : parseSpecialIds(parseJson(generation, names.generation));
  return {
    config,
    ids: { ...ids, eos: eos.length > 0 ? eos : ids.eos },
    tokenizer: { tokenizer, config: tokenizerConfig, ...(chatTemplate === undefined ? {} : { chatTemplate }) },
  };
}

/** Reads only the weights: `model.safetensors`, or the shards that `model.safetensors.index.json` names. */
export function readWeights(directory: string): Promise<Map<string, HostTensor>> {
  return readTensors(directory, async (path, wanted) => (await readSafetensors(path, wanted)).tensors);
}

/** Shapes of the weights. The weights are not read. */
export function readWeightShapes(directory: string): Promise<Map<string, Pick<HostTensor, 'shape'>>> {
  return readTensors(directory, readShapes);
}

async function readTensors<Tensor>(
  directory: string,
  read: (path: string, wanted?: (name: string) => boolean) => Promise<ReadonlyMap<string, Tensor>>,
): Promise<Map<string, Tensor>> {
  const index = await readOptional(directory, names.index);
  if (index === undefined) {
    if (!(await exists(join(directory, names.weights)))) throw new Error(`${directory} has no ${names.weights}`);
    return new Map(await read(join(directory, names.weights)));
  }
  const { weight_map: map } = parseJson(index, names.index) as {
    readonly weight_map?: { readonly [name: string]: string };
  };
  if (typeof map !== 'object' || map === null) throw new Error(`${names.index} has no weight_map`);
  const weights = new Map<string, Tensor>();
  for (const shard of [...new Set(Object.values(map))].sort()) {
    // A path that leaves the folder would read an unrelated file.
    if (shard !== basename(shard))
      throw new Error(`${names.index} names ${JSON.stringify(shard)}, which is not a file name`);
    if (!(await exists(join(directory, shard))))
      throw new Error(`${directory} lacks ${shard}, which ${names.index} names`);
    const tensors = await read(join(directory, shard), (name) => map[name] === shard);
    for (const [name, tensor] of tensors) weights.set(name, tensor);
  }
  for (const [name, shard] of Object.entries(map)) {
    if (!weights.has(name)) throw new Error(`${shard} lacks ${name}, which ${names.index} places there`);
  }
  return weights;
}

/** Writes a folder that `readModelFolder` and `transformers` can open. The directory must exist and be empty. */
export async function writeModelFolder(directory: string, folder: ModelFolder): Promise<void> {
  const { config, weights, ids, tokenizer } = folder;
  const generation = {
    eos_token_id: ids.eos,
    ...(ids.pad === undefined ? {} : { pad_token_id: ids.pad }),
    do_sample: true,
  };
  await writeFile(join(directory, names.config), pretty(writeDecoderConfig(config, ids)));
  await writeFile(join(directory, names.generation), pretty(generation));
  await writeTokenizerFiles(directory, tokenizer);
  await writeSafetensors(join(directory, names.weights), { tensors: weights, metadata: { format: 'pt' } });
}

/** Writes the files of a tokenizer as they were read. */
export async function writeTokenizerFiles(directory: string, files: ModelFolder['tokenizer']): Promise<void> {
  await writeFile(join(directory, names.tokenizer), files.tokenizer);
  await writeFile(join(directory, names.tokenizerConfig), files.config);
  if (files.chatTemplate !== undefined) await writeFile(join(directory, names.chatTemplate), files.chatTemplate);
}

async function readText(directory: string, name: string): Promise<string> {
  const text = await readOptional(directory, name);
  if (text === undefined) throw new Error(`${directory} has no ${name}`);
  return text;
}

async function readOptional(directory: string, name: string): Promise<string | undefined> {
  const path = join(directory, name);
  return (await exists(path)) ? readFile(path, 'utf8') : undefined;
}

function parseJson(text: string, name: string): { readonly [key: string]: unknown } {
  try {
    return JSON.parse(text) as { readonly [key: string]: unknown };
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
