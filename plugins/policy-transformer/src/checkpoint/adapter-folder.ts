/*
 * Folders of adapters as PEFT writes them (github.com/huggingface/peft: src/peft/utils/save_and_load.py): adapter_config.json names the base and the matrices; adapter_model.safetensors has the
 * factors as `base_model.model.<module>.lora_A.weight` [rank, in] and `.lora_B.weight` [out, rank], and in DoRA
 * `.lora_magnitude_vector` [out].
 */
import { existsSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { BaseName, PolicyContext, OutsideFiles } from '@agentgym/cli';

import type { DecoderConfig } from '../model/decoder-config.js';
import { adapterShapes, parameterShapes, type Adapter } from '../model/parameters.js';
import { sameShape } from '../operations/shapes.js';
import { adapterConfigName, readAdapterConfig, type AdapterFolder, type AdapterSettings } from './adapter-config.js';
import { refuseOtherBase, writeBase } from './base-hash.js';
import { checkWeightShapes, refuseNotFinite } from './fill-weights.js';
import { fileNames } from './folder-files.js';
import { readModelTexts, writeTokenizerFiles, type ModelTexts } from './model-folder.js';
import { type HostTensor, openSafetensors, readSource, type TensorSource, writeTensors } from './safetensors.js';
import { matchHead } from './stored-head.js';
import { weightSources } from './weight-files.js';

const weightsName = 'adapter_model.safetensors';
const PREFIX = 'base_model.model.';

/** The texts of a model folder, or of an adapter's folder and its base. */
export interface OpenedModel extends ModelTexts {
  /** The folder with the weights. */
  readonly base: string;
  /** The weights there. Their shapes are those that `config` says. */
  readonly weights: ReadonlyMap<string, TensorSource>;
  readonly adapter?: AdapterSettings;
  /** What the user should know about the folder, in sentences. */
  readonly notices?: readonly string[];
}

/** The adapter that a graph computes. */
export function adapterOf({ rank, alpha, rankStabilized, targets, dora }: AdapterSettings): Adapter {
  return { rank, targets, dora, scale: alpha / (rankStabilized ? Math.sqrt(rank) : rank) };
}

/** Whether a folder is an adapter's. */
function isAdapterFolder(directory: string): boolean {
  return existsSync(join(directory, adapterConfigName));
}

/** Where the base of an adapter is found. */
export type BaseSearch = Pick<PolicyContext, 'findModel' | 'base'>;

/**
 * Reads everything except numbers: of a model's folder, or of an adapter's folder and its base. An adapter's folder may
 * have its own tokenizer. Its base is a folder, by a path from the adapter's folder, or a model that was pulled.
 */
export async function openModel(files: OutsideFiles, directory: string, search: BaseSearch = {}): Promise<OpenedModel> {
  if (!isAdapterFolder(directory)) return openWhole(files, directory);
  const { settings, base: named } = await readAdapterConfig(files, directory);
  const base = await findBase(files, directory, named, search);
  await refuseOtherBase(files, directory, { name: base });
  const own = existsSync(join(directory, fileNames.tokenizer)) ? directory : base;
  return { ...(await openWhole(files, base, own)), base, adapter: settings };
}

async function openWhole(files: OutsideFiles, base: string, tokenizer = base): Promise<OpenedModel> {
  const texts = await readModelTexts(files, base, tokenizer);
  const weights = await weightSources(files, base);
  const { config, notices } = await matchHead(texts.config, weights);
  const foreign = texts.ids.eos.find((id) => id >= config.vocabularySize);
  if (foreign !== undefined) {
    throw new Error(`${base}: eos_token_id ${foreign} is outside of the vocabulary of ${config.vocabularySize} tokens`);
  }
  // Before anything is allocated: config.json may name sizes that the folder does not have.
  checkWeightShapes(weights, parameterShapes(config, { valueHead: false }));
  return { ...texts, config, base, weights, notices };
}

/** The folder of an adapter's base. With `search.base` no other folder is looked into. */
async function findBase(
  files: OutsideFiles,
  directory: string,
  { name }: BaseName,
  { findModel = () => undefined, base: only }: BaseSearch,
): Promise<string> {
  const folder = resolve(directory, name);
  const place = join(directory, adapterConfigName);
  if (only !== undefined) {
    const base = isAdapterFolder(only)
      ? await findBase(files, only, (await readAdapterConfig(files, only)).base, { findModel })
      : only;
    if ([folder, findModel(name)].some((other) => other !== undefined && isSameFolder(other, base))) return base;
    throw new Error(`${place} names the base ${name}, which is not the model that is open (${base})`);
  }
  const base = existsSync(folder) ? folder : findModel(name);
  if (base === undefined) {
    throw new Error(
      `${place} names the base ${name}, which is not a folder and not a pulled model. Put the base back where it was; one that was made of a GGUF file comes again with \`agentgym pull\``,
    );
  }
  if (isAdapterFolder(base))
    throw new Error(`the base of ${directory} is an adapter too (${base}): merge that one first`);
  return base;
}

function isSameFolder(one: string, other: string): boolean {
  const [found, wanted] = [one, other].map((folder) => (existsSync(folder) ? realpathSync(folder) : undefined));
  return found !== undefined && found === wanted;
}

/**
 * Reads the factors of an adapter, by their names in the graph. Throws if one is missing, is not a number, or has another
 * shape than this model needs: then the adapter belongs to another base. Shapes are checked before anything is read.
 */
export async function readAdapterWeights(
  files: OutsideFiles,
  directory: string,
  config: DecoderConfig,
  settings: AdapterSettings,
): Promise<Map<string, HostTensor>> {
  const path = join(directory, weightsName);
  if (!existsSync(path)) throw new Error(`${directory} has no ${weightsName}`);
  const { tensors } = await openSafetensors(files, path);
  const shapes = adapterShapes(config, adapterOf(settings));
  for (const [name, shape] of shapes) {
    const found = tensors.get(`${PREFIX}${name}`);
    if (found !== undefined && sameShape(found.shape, shape)) continue;
    throw new Error(
      `${path} has ${found ? `[${found.shape.join(', ')}]` : 'nothing'} for ${name}, which is [${shape.join(', ')}] in this model: is it an adapter of another base?`,
    );
  }
  const extra = [...tensors.keys()].find((name) => !name.startsWith(PREFIX) || !shapes.has(name.slice(PREFIX.length)));
  if (extra !== undefined) throw new Error(`${path} has ${extra}, which this model does not have`);
  const factors = new Map<string, HostTensor>();
  for (const [name, shape] of shapes) {
    const data = await readSource(tensors.get(`${PREFIX}${name}`)!);
    refuseNotFinite(`${path}: ${name}`, data);
    factors.set(name, { shape, data });
  }
  return factors;
}

/** Writes a folder that PEFT opens: configuration, factors by their names in the graph, tokenizer. */
export async function writeAdapterFolder(
  directory: string,
  {
    settings: { rank, alpha, rankStabilized, targets, dora },
    base,
    factors,
    tokenizer,
  }: AdapterFolder & Pick<ModelTexts, 'tokenizer'> & { readonly factors: ReadonlyMap<string, TensorSource> },
): Promise<void> {
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base.name,
    ...(base.revision !== undefined && { revision: base.revision }),
    r: rank,
    lora_alpha: alpha,
    lora_dropout: 0,
    use_rslora: rankStabilized,
    use_dora: dora,
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
    target_modules: targets.map((part) => part.split('.').at(-1)),
  };
  await writeFile(join(directory, adapterConfigName), `${JSON.stringify(config, undefined, 2)}\n`);
  if (base.sha256 !== undefined) await writeBase(directory, base.sha256);
  await writeTokenizerFiles(directory, tokenizer);
  const tensors = new Map([...factors].map(([name, tensor]) => [`${PREFIX}${name}`, tensor]));
  await writeTensors(join(directory, weightsName), tensors, { format: 'pt' }, 'F32');
}
