/*
 * Folders of adapters as PEFT writes them (github.com/huggingface/peft: src/peft/tuners/lora/config.py,
 * utils/save_and_load.py): adapter_config.json names the base and the matrices; adapter_model.safetensors has the
 * factors as `base_model.model.<module>.lora_A.weight` [rank, in] and `.lora_B.weight` [out, rank], and in DoRA
 * `.lora_magnitude_vector` [out].
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { BaseName, PolicyContext } from '@agentgym/cli';

import type { DecoderConfig } from '../model/decoder-config.js';
import { adapterShapes, PROJECTIONS, type Adapter, type Projection } from '../model/parameters.js';
import { sameShape } from '../operations/shapes.js';
import { readModelTexts, writeTokenizerFiles, type ModelTexts } from './model-folder.js';
import { type HostTensor, readSafetensors, type TensorSource, writeTensors } from './safetensors.js';

const names = { config: 'adapter_config.json', weights: 'adapter_model.safetensors' } as const;
const PREFIX = 'base_model.model.';

/** How an adapter scales its product: by alpha / rank, or by alpha / sqrt(rank) (Kalajdzievski 2023, "rsLoRA"). */
export interface AdapterSettings {
  readonly rank: number;
  readonly alpha: number;
  readonly rankStabilized: boolean;
  readonly targets: readonly Projection[];
  /** Whether rows have trained lengths. */
  readonly dora: boolean;
}

/** An adapter's folder without its factors. */
export interface AdapterFolder {
  readonly settings: AdapterSettings;
  readonly base: BaseName;
}

/** The texts of a model folder, or of an adapter's folder and its base. */
export interface OpenedModel extends ModelTexts {
  /** The folder with the weights. */
  readonly base: string;
  readonly adapter?: AdapterSettings;
}

/** The adapter that a graph computes. */
export function adapterOf({ rank, alpha, rankStabilized, targets, dora }: AdapterSettings): Adapter {
  return { rank, targets, dora, scale: alpha / (rankStabilized ? Math.sqrt(rank) : rank) };
}

/** Whether a folder is an adapter's. */
function isAdapterFolder(directory: string): boolean {
  return existsSync(join(directory, names.config));
}

/**
 * Reads everything except numbers: of a model's folder, or of an adapter's folder and its base. An adapter's folder may
 * have its own tokenizer. Its base is a folder, by a path from the adapter's folder, or a model that was pulled.
 */
export async function openModel(
  directory: string,
  findModel: PolicyContext['findModel'] = () => undefined,
): Promise<OpenedModel> {
  if (!isAdapterFolder(directory)) return { ...(await readModelTexts(directory)), base: directory };
  const { settings, base: named } = await readAdapterConfig(directory);
  const folder = resolve(directory, named.name);
  const base = existsSync(folder) ? folder : findModel(named.name);
  if (base === undefined) {
    throw new Error(
      `${join(directory, names.config)} names the base ${named.name}, which is no folder, and no model that was pulled`,
    );
  }
  if (isAdapterFolder(base))
    throw new Error(`the base of ${directory} is an adapter too (${base}): merge that one first`);
  const own = existsSync(join(directory, 'tokenizer.json')) ? directory : base;
  return { ...(await readModelTexts(base, own)), base, adapter: settings };
}

/**
 * Reads `adapter_config.json`. Throws on kinds of adapters that this model does not compute. The error names the
 * setting.
 */
export async function readAdapterConfig(directory: string): Promise<AdapterFolder> {
  const path = join(directory, names.config);
  const text = await readFile(path, 'utf8');
  let config: { readonly [key: string]: unknown };
  try {
    config = JSON.parse(text) as { readonly [key: string]: unknown };
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  const refuse = (cause: string) => new Error(`${path}: ${cause}`);
  const positive = (key: string): number => {
    const value = config[key];
    if (typeof value !== 'number' || !(value > 0))
      throw refuse(`${key} must be a positive number, not ${JSON.stringify(value)}`);
    return value;
  };
  if (config['peft_type'] !== 'LORA')
    throw refuse(`peft_type ${JSON.stringify(config['peft_type'])} is not supported; supported: LORA`);
  for (const [key, allowed] of Object.entries(PLAIN)) {
    const value = config[key] ?? null;
    if (!isEmpty(value) && !allowed.includes(value)) {
      throw refuse(`${key} ${JSON.stringify(value)} is not supported`);
    }
  }
  const { base_model_name_or_path: name, revision } = config;
  if (typeof name !== 'string' || name === '') throw refuse('base_model_name_or_path is missing');
  const rank = positive('r');
  if (!Number.isInteger(rank)) throw refuse(`r must be a whole number, not ${rank}`);
  return {
    settings: {
      rank,
      alpha: positive('lora_alpha'),
      rankStabilized: config['use_rslora'] === true,
      targets: readTargets(config['target_modules'], refuse),
      dora: config['use_dora'] === true,
    },
    base: { name, ...(typeof revision === 'string' && { revision }) },
  };
}

/** Settings that change what an adapter computes, and the values that change nothing. */
const PLAIN: { readonly [key: string]: readonly unknown[] } = {
  bias: ['none'],
  fan_in_fan_out: [false],
  lora_bias: [false],
  modules_to_save: [],
  rank_pattern: [],
  alpha_pattern: [],
  layers_to_transform: [],
  layer_replication: [],
  trainable_token_indices: [],
  target_parameters: [],
};

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** `target_modules` is a list of names of modules, or of their ends. */
function readTargets(value: unknown, refuse: (cause: string) => Error): Projection[] {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  const targets = PROJECTIONS.filter((part) =>
    given.some((name) => typeof name === 'string' && (part === name || part.endsWith(`.${name}`))),
  );
  const unknown = given.filter(
    (name) => typeof name !== 'string' || !PROJECTIONS.some((part) => part === name || part.endsWith(`.${name}`)),
  );
  if (unknown.length > 0) {
    const known = PROJECTIONS.map((part) => part.split('.').at(-1)).join(', ');
    throw refuse(
      `target_modules ${unknown.map((name) => JSON.stringify(name)).join(', ')} are not supported; supported: ${known}`,
    );
  }
  return targets;
}

/**
 * Reads the factors of an adapter, by their names in the graph. Throws if one is missing or has another shape than this
 * model needs: then the adapter belongs to another base.
 */
export async function readAdapterWeights(
  directory: string,
  config: DecoderConfig,
  settings: AdapterSettings,
): Promise<Map<string, HostTensor>> {
  const path = join(directory, names.weights);
  if (!existsSync(path)) throw new Error(`${directory} has no ${names.weights}`);
  const { tensors } = await readSafetensors(path);
  const factors = new Map<string, HostTensor>();
  for (const [name, shape] of adapterShapes(config, adapterOf(settings))) {
    const found = tensors.get(`${PREFIX}${name}`);
    if (found === undefined || !sameShape(found.shape, shape)) {
      throw new Error(
        `${path} has ${found ? `[${found.shape.join(', ')}]` : 'nothing'} for ${name}, which is [${shape.join(', ')}] in this model: is it an adapter of another base?`,
      );
    }
    factors.set(name, found);
  }
  const extra = [...tensors.keys()].find((name) => !factors.has(name.slice(PREFIX.length)) || !name.startsWith(PREFIX));
  if (extra !== undefined) throw new Error(`${path} has ${extra}, which this model does not have`);
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
  await writeFile(join(directory, names.config), `${JSON.stringify(config, undefined, 2)}\n`);
  await writeTokenizerFiles(directory, tokenizer);
  const tensors = new Map([...factors].map(([name, tensor]) => [`${PREFIX}${name}`, tensor]));
  await writeTensors(join(directory, names.weights), tensors, { format: 'pt' }, 'F32');
}
