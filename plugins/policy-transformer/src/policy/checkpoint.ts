import type { JsonObject, OptimizerSettings } from '@agentgym/cli';

import {
  readAdapterConfig,
  readAdapterWeights,
  writeAdapterFolder,
  type AdapterFolder,
} from '../checkpoint/adapter-folder.js';
import { readWeights, writeModelFolder, type ModelFolder } from '../checkpoint/model-folder.js';
import type { HostTensor } from '../checkpoint/safetensors.js';
import { readTrainerState, writeTrainerState } from '../checkpoint/trainer-state.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { trainableShapes, VALUE_BIAS, VALUE_WEIGHT, type ParameterOptions } from '../model/parameters.js';
import type { OptimizerState, ShapedArray } from '../optimizers/optimizer.js';
import { ParameterBlock } from '../worker/parameter-block.js';

/** What training changes. */
export interface Checkpoint {
  /** The trainable weights, in the order of `trainableShapes`. */
  readonly data: Float32Array;
  readonly policyVersion: number;
  /** Absent if no optimizer was set. */
  readonly optimizer?: { readonly settings: OptimizerSettings; readonly state: OptimizerState };
}

const VALUE_HEAD: readonly string[] = [VALUE_WEIGHT, VALUE_BIAS];
const MOMENT = 'moment.';

/**
 * Writes a Hugging Face folder, or with `lora` PEFT's folder of the adapter, with the trainer's state beside it. The
 * state includes a value head, which these formats do not support.
 */
export async function writeCheckpoint(
  directory: string,
  {
    folder,
    parts,
    lora,
    data,
    policyVersion,
    optimizer,
  }: Checkpoint & {
    readonly folder: Omit<ModelFolder, 'weights'>;
    readonly parts: ParameterOptions;
    readonly lora?: AdapterFolder | undefined;
  },
): Promise<void> {
  const block = new ParameterBlock(trainableShapes(folder.config, parts), data);
  const shaped = [...block.views].map(([name, view]): [string, ShapedArray] => {
    return [name, { shape: block.shapes.get(name) ?? [], data: view }];
  });
  const weights = new Map(shaped.filter(([name]) => !VALUE_HEAD.includes(name)));
  if (lora === undefined) await writeModelFolder(directory, { ...folder, weights });
  else await writeAdapterFolder(directory, { ...lora, factors: weights, tokenizer: folder.tokenizer });
  const tensors = new Map(shaped.filter(([name]) => VALUE_HEAD.includes(name)));
  for (const [name, moment] of optimizer?.state.tensors ?? []) tensors.set(`${MOMENT}${name}`, moment);
  const values = {
    formatVersion: 1,
    policyVersion,
    ...(optimizer ? { optimizer: { ...optimizer.settings, steps: optimizer.state.steps } } : {}),
  };
  await writeTrainerState(directory, { tensors, values });
}

/** Throws if the folder is not a checkpoint of such a model. */
export async function readCheckpoint(
  directory: string,
  config: DecoderConfig,
  parts: ParameterOptions,
): Promise<Checkpoint> {
  const { tensors, values } = await readTrainerState(directory);
  if (values['formatVersion'] !== 1) throw new Error(`${directory} was written by another version of this policy`);
  const stored = await readTrained(directory, config, parts);
  const weights = new Map([...stored].map(([name, { data }]) => [name, data]));
  for (const name of VALUE_HEAD) {
    const saved = tensors.get(name);
    if (saved) weights.set(name, saved.data);
  }
  const { data } = new ParameterBlock(trainableShapes(config, parts)).fill(weights);
  const saved = values['optimizer'] as JsonObject | undefined;
  const moments = new Map([...tensors].flatMap(([name, tensor]) => momentOf(name, tensor)));
  return {
    data,
    policyVersion: Number(values['policyVersion']),
    ...(saved && {
      optimizer: {
        settings: { name: saved['name'] as string, options: saved['options'] as OptimizerSettings['options'] },
        state: { steps: Number(saved['steps']), tensors: moments },
      },
    }),
  };
}

async function readTrained(
  directory: string,
  config: DecoderConfig,
  { adapter }: ParameterOptions,
): Promise<ReadonlyMap<string, HostTensor>> {
  if (adapter === undefined) return readWeights(directory);
  const { settings } = await readAdapterConfig(directory);
  return readAdapterWeights(directory, config, settings);
}

function momentOf(name: string, tensor: ShapedArray): [string, ShapedArray][] {
  return name.startsWith(MOMENT) ? [[name.slice(MOMENT.length), tensor]] : [];
}
