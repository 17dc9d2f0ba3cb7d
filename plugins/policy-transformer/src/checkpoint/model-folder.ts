import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { OutsideFiles } from '@agentgym/cli';

import type { DecoderConfig } from '../model/decoder-config.js';
import type { StoredType } from '../operations/half-floats.js';
import { parseDecoderConfig, parseSpecialIds, type SpecialIds, writeDecoderConfig } from './decoder-config-json.js';
import { exists, fileNames, parseJson, prettyJson, readOptional, readText } from './folder-files.js';
import { generationConfig, plainSampling, type SamplingChoice } from './generation-config.js';
import type { TensorSource } from './safetensors.js';
import { writeWeights } from './weight-files.js';

/** The texts of a Hugging Face folder: everything except its weights. */
export interface ModelTexts {
  readonly config: DecoderConfig;
  /** `eos` comes from generation_config.json if that file exists. */
  readonly ids: SpecialIds;
  /** Texts of the tokenizer's files, saved as they were read. */
  readonly tokenizer: {
    readonly tokenizer: string;
    readonly config: string;
    readonly chatTemplate?: string;
    readonly additionalTemplates?: { readonly [name: string]: string };
  };
}

/**
 * Reads everything in a folder except its weights.
 * @param tokenizerDirectory the folder of the tokenizer, if it is another one
 */
export async function readModelTexts(
  files: OutsideFiles,
  directory: string,
  tokenizerDirectory = directory,
): Promise<ModelTexts> {
  const configText = await readText(files, directory, fileNames.config);
  const config = parseDecoderConfig(parseJson(configText, fileNames.config));
  const ids = await readSpecialIds(files, directory, configText);
  return { config, ids, tokenizer: await readTokenizerFiles(files, tokenizerDirectory) };
}

/** What an encoder needs: the texts of the tokenizer, and the special ids as far as the folder has them. */
export async function readTokenizerFolder(
  files: OutsideFiles,
  directory: string,
): Promise<Pick<ModelTexts, 'ids' | 'tokenizer'>> {
  const tokenizer = await readTokenizerFiles(files, directory);
  return {
    ids: await readSpecialIds(files, directory, (await readOptional(files, directory, fileNames.config)) ?? '{}'),
    tokenizer,
  };
}

async function readTokenizerFiles(files: OutsideFiles, directory: string): Promise<ModelTexts['tokenizer']> {
  const tokenizer = await readText(files, directory, fileNames.tokenizer);
  const config = (await readOptional(files, directory, fileNames.tokenizerConfig)) ?? '{}';
  const chatTemplate = await readOptional(files, directory, fileNames.chatTemplate);
  const additionalTemplates = await readTemplates(files, directory);
  return {
    ...{ tokenizer, config, ...(chatTemplate === undefined ? {} : { chatTemplate }) },
    ...(additionalTemplates && { additionalTemplates }),
  };
}

/** The named templates of a folder; undefined if there are none. */
async function readTemplates(
  files: OutsideFiles,
  directory: string,
): Promise<{ readonly [name: string]: string } | undefined> {
  const folder = join(directory, fileNames.additionalTemplates);
  if (!(await exists(folder))) return undefined;
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jinja')).sort();
  const read = async (name: string) => [basename(name, '.jinja'), await readText(files, folder, name)] as const;
  return names.length === 0 ? undefined : Object.fromEntries(await Promise.all(names.map(read)));
}

async function readSpecialIds(files: OutsideFiles, directory: string, configText: string): Promise<SpecialIds> {
  const ids = parseSpecialIds(parseJson(configText, fileNames.config));
  const generation = await readOptional(files, directory, fileNames.generation);
  const { eos } = generation === undefined ? ids : parseSpecialIds(parseJson(generation, fileNames.generation));
  return { ...ids, eos: eos.length > 0 ? eos : ids.eos };
}

/** How a folder is written. */
export interface FolderStyle {
  /** The type of the weights; default: float32. */
  readonly type?: StoredType;
  /** Default: plain sampling at temperature 1. */
  readonly sampling?: SamplingChoice;
  /** Largest size of a file of weights. */
  readonly shardBytes?: number;
}

/** Writes a folder that `transformers` can open. The directory must exist and be empty. */
export async function writeModelFiles(
  directory: string,
  { config, ids, tokenizer }: ModelTexts,
  weights: ReadonlyMap<string, TensorSource>,
  { type = 'F32', sampling = plainSampling, shardBytes }: FolderStyle = {},
): Promise<void> {
  const write = (name: string, text: string) => writeFile(join(directory, name), text);
  await write(fileNames.config, prettyJson(writeDecoderConfig(config, ids, type)));
  await write(fileNames.generation, prettyJson(generationConfig(ids, sampling)));
  await writeTokenizerFiles(directory, tokenizer);
  await writeWeights(directory, weights, type, shardBytes);
}

/** Writes the files of a tokenizer as they were read. */
export async function writeTokenizerFiles(directory: string, files: ModelTexts['tokenizer']): Promise<void> {
  const write = (name: string, text: string) => writeFile(join(directory, name), text);
  await write(fileNames.tokenizer, files.tokenizer);
  await write(fileNames.tokenizerConfig, files.config);
  if (files.chatTemplate !== undefined) await write(fileNames.chatTemplate, files.chatTemplate);
  const templates = Object.entries(files.additionalTemplates ?? {});
  if (templates.length > 0) await mkdir(join(directory, fileNames.additionalTemplates), { recursive: true });
  for (const [name, text] of templates) await write(join(fileNames.additionalTemplates, `${name}.jinja`), text);
}
