import type { JsonObject, OptimizerSettings } from '@agentgym/cli';

import {
  readAdapterConfig,
  readAdapterWeights,
  writeAdapterFolder,
  type AdapterFolder,
} from '../checkpoint/adapter-folder.js';
import { fillWeights } from '../checkpoint/fill-weights.js';
import { writeModelFolder, type ModelTexts } from '../checkpoint/model-folder.js';
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
    readonly folder: ModelTexts;
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
  const block = new ParameterBlock(trainableShapes(config, parts));
  await fillTrained(directory, config, parts, block);
  for (const name of VALUE_HEAD) {
    const [view, saved] = [block.views.get(name), tensors.get(name)?.data];
    if (view === undefined) continue;
    if (saved?.length !== view.length) {
      throw new Error(`${name} has ${saved?.length ?? 'no'} numbers, but the model has ${view.length}`);
    }
    view.set(saved);
  }
  const saved = values['optimizer'] as JsonObject | undefined;
  const moments = new Map([...tensors].flatMap(([name, tensor]) => momentOf(name, tensor)));
  return {
    data: block.data,
    policyVersion: Number(values['policyVersion']),
    ...(saved && {
      optimizer: {
        settings: { name: saved['name'] as string, options: saved['options'] as OptimizerSettings['options'] },
        state: { steps: Number(saved['steps']), tensors: moments },
      },
    }),
  };
}

/** Reads the weights, or the adapter, into their places. */
async function fillTrained(
  directory: string,
  config: DecoderConfig,
  { adapter }: ParameterOptions,
  block: ParameterBlock,
): Promise<void> {
  if (adapter === undefined) return fillWeights(directory, weightPlaces(block));
  const { settings } = await readAdapterConfig(directory);
  for (const [name, { data }] of await readAdapterWeights(directory, config, settings))
    block.views.get(name)!.set(data);
}

/** Where the weights of a folder belong in a block. A folder has no value head. */
export function weightPlaces({ views, shapes }: ParameterBlock): Map<string, ShapedArray> {
  const weights = [...views].filter(([name]) => !VALUE_HEAD.includes(name));
  return new Map(weights.map(([name, data]) => [name, { shape: shapes.get(name) ?? [], data }]));
}

function momentOf(name: string, tensor: ShapedArray): [string, ShapedArray][] {
  return name.startsWith(MOMENT) ? [[name.slice(MOMENT.length), tensor]] : [];
}
