/*
 * adapter_config.json as PEFT writes it (github.com/huggingface/peft: src/peft/config.py, src/peft/tuners/lora/config.py).
 * A key that is not listed here may change what an adapter computes, and so may an unusual value. Both are refused by name.
 */
import { join } from 'node:path';

import type { BaseName, OutsideFiles } from '@agentgym/cli';

import { PROJECTIONS, type Projection } from '../model/parameters.js';
import { parseJson, readText } from './folder-files.js';

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
  readonly base: BaseName & { /** See `hashBase`; absent: it is not noted. */ readonly sha256?: string };
}

export const adapterConfigName = 'adapter_config.json';

/** Keys that every adapter has. */
const needed = ['peft_type', 'base_model_name_or_path', 'r', 'lora_alpha', 'target_modules'];

/** Keys that are read. */
const read = [...needed, 'revision', 'use_rslora', 'use_dora'];

/**
 * Keys that change nothing in a trained adapter: what it is called, how it was trained, and the settings of a beginning that
 * `init_lora_weights` would name, or of a part that another key switches on.
 */
const harmless = [
  ...['auto_mapping', 'peft_version', 'inference_mode', 'lora_dropout', 'megatron_core', 'runtime_config'],
  ...['loftq_config', 'eva_config', 'corda_config', 'lora_ga_config', 'layers_pattern', 'qalora_group_size'],
  ...['merge_weights', 'ensure_weight_tying', 'unsloth_fixed'],
];

/** Keys that change what an adapter computes, and the values with which they do not. Null and empty are always such values. */
const plain: { readonly [key: string]: readonly unknown[] } = {
  task_type: ['CAUSAL_LM'],
  bias: ['none'],
  fan_in_fan_out: [false],
  lora_bias: [false],
  use_qalora: [false],
  use_bdlora: [false],
  // With `pissa`, `olora`, `corda`, `loftq` and `lora_ga`, PEFT changes the base when it opens the adapter.
  init_lora_weights: [true, false, 'gaussian', 'eva', 'orthogonal', 'mica'],
  ...Object.fromEntries(
    [
      ...['modules_to_save', 'rank_pattern', 'alpha_pattern', 'exclude_modules', 'layers_to_transform', 'enable_lora'],
      ...['layer_replication', 'trainable_token_indices', 'target_parameters', 'alora_invocation_tokens'],
      ...['megatron_config', 'velora_config', 'monteclora_config', 'arrow_config', 'kasa_config'],
    ].map((key) => [key, []]),
  ),
};

/** Larger than any useful rank, so that a rank cannot ask for all memory. */
const largestRank = 65_536;
/** A larger factor leaves float32 within a few layers. */
const largestAlpha = 1e6;

/**
 * Reads `adapter_config.json`. Throws on kinds of adapters that this model does not compute, on keys that are not known, and
 * on values out of reason. The error names the file and the key.
 */
export async function readAdapterConfig(files: OutsideFiles, directory: string): Promise<AdapterFolder> {
  const path = join(directory, adapterConfigName);
  const config = parseJson(await readText(files, directory, adapterConfigName), path);
  const refuse = (cause: string) => new Error(`${path}: ${cause}`);
  const positive = (key: string, most: number): number => {
    const value = config[key];
    if (typeof value === 'number' && value > 0 && value <= most) return value;
    throw refuse(`${key} must be a positive number up to ${most}, not ${show(value)}`);
  };
  const flag = (key: string): boolean => {
    const value = config[key] ?? false;
    if (typeof value === 'boolean') return value;
    throw refuse(`${key} must be true or false, not ${show(value)}`);
  };
  const missing = needed.find((key) => config[key] === undefined);
  if (missing !== undefined) throw refuse(`${missing} is missing`);
  if (config['peft_type'] !== 'LORA')
    throw refuse(`peft_type ${show(config['peft_type'])} is not supported; supported: LORA`);
  for (const [key, value] of Object.entries(config)) refuseOther(key, value, refuse);
  const { base_model_name_or_path: name, revision } = config;
  if (typeof name !== 'string' || name === '') throw refuse('base_model_name_or_path is missing');
  const rank = positive('r', largestRank);
  if (!Number.isInteger(rank)) throw refuse(`r must be a whole number, not ${rank}`);
  return {
    settings: {
      rank,
      alpha: positive('lora_alpha', largestAlpha),
      rankStabilized: flag('use_rslora'),
      targets: readTargets(config['target_modules'], refuse),
      dora: flag('use_dora'),
    },
    base: { name, ...(typeof revision === 'string' && { revision }) },
  };
}

/** Throws if a key is not known to be harmless with its value. */
function refuseOther(key: string, value: unknown, refuse: (cause: string) => Error): void {
  if (read.includes(key) || harmless.includes(key)) return;
  if (!Object.hasOwn(plain, key)) {
    throw refuse(`the key ${key} is not known: it may change what the adapter computes. Remove it if it does not`);
  }
  if (isEmpty(value) || plain[key]!.includes(value)) return;
  const changesBase = key === 'init_lora_weights';
  throw refuse(
    `${key} ${show(value)} is not supported${changesBase ? ': PEFT would change the base when it opens this adapter. Convert it with `path_initial_model_for_weight_conversion` of `save_pretrained`' : ''}`,
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function show(value: unknown): string {
  return JSON.stringify(value);
}

/** `target_modules` is a list of names of modules, or of their ends. */
function readTargets(value: unknown, refuse: (cause: string) => Error): Projection[] {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  const means = (part: Projection, name: unknown) =>
    typeof name === 'string' && (part === name || part.endsWith(`.${name}`));
  const unknown = given.filter((name) => !PROJECTIONS.some((part) => means(part, name)));
  if (unknown.length > 0 || given.length === 0) {
    const known = PROJECTIONS.map((part) => part.split('.').at(-1)).join(', ');
    const named = unknown.map(show).join(', ') || '[]';
    throw refuse(`target_modules ${named} are not supported; supported: ${known}`);
  }
  return PROJECTIONS.filter((part) => given.some((name) => means(part, name)));
}
