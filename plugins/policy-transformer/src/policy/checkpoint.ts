import type { JsonObject, OptimizerSettings, OutsideFiles } from '@agentgym/cli';

import { readAdapterConfig, type AdapterFolder } from '../checkpoint/adapter-config.js';
import { readAdapterWeights, writeAdapterFolder } from '../checkpoint/adapter-folder.js';
import { refuseOtherBase } from '../checkpoint/base-hash.js';
import { fillWeights } from '../checkpoint/fill-weights.js';
import { writeModelFiles, type ModelTexts } from '../checkpoint/model-folder.js';
import { type HostTensor, readSource, type TensorSource } from '../checkpoint/safetensors.js';
import { weightSources } from '../checkpoint/weight-files.js';
import { readTrainerState, writeTrainerState } from '../checkpoint/trainer-state.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { trainableShapes, VALUE_BIAS, VALUE_WEIGHT, type ParameterOptions } from '../model/parameters.js';
import { ParameterBlock } from '../worker/parameter-block.js';

/** An optimizer in a checkpoint. */
interface SavedOptimizer {
  readonly settings: OptimizerSettings;
  readonly steps: number;
  /** As `<moment>.<parameter>`. */
  readonly moments: ReadonlyMap<string, TensorSource>;
}

/** What training changes. */
interface Checkpoint {
  readonly policyVersion: number;
  /** Absent if no optimizer was set. */
  readonly optimizer?: SavedOptimizer;
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
    lora,
    trained,
    policyVersion,
    optimizer,
  }: Checkpoint & {
    readonly folder: ModelTexts;
    readonly lora?: AdapterFolder | undefined;
    /** The trainable weights. */
    readonly trained: ReadonlyMap<string, TensorSource>;
  },
): Promise<void> {
  const weights = new Map([...trained].filter(([name]) => !VALUE_HEAD.includes(name)));
  if (lora === undefined) await writeModelFiles(directory, folder, weights);
  else await writeAdapterFolder(directory, { ...lora, factors: weights, tokenizer: folder.tokenizer });
  const tensors = new Map([...trained].filter(([name]) => VALUE_HEAD.includes(name)));
  for (const [name, moment] of optimizer?.moments ?? []) tensors.set(`${MOMENT}${name}`, moment);
  const values = {
    formatVersion: 1,
    policyVersion,
    ...(optimizer ? { optimizer: { ...optimizer.settings, steps: optimizer.steps } } : {}),
  };
  await writeTrainerState(directory, { tensors, values });
}

/**
 * Reads the trainable weights, in the order of `trainableShapes`, and opens the moments. Throws if the folder is not a
 * checkpoint of such a model.
 *
 * @param base of an adapter
 */
export async function readCheckpoint(
  files: OutsideFiles,
  directory: string,
  config: DecoderConfig,
  parts: ParameterOptions,
  base?: AdapterFolder['base'],
): Promise<Checkpoint & { readonly data: Float32Array }> {
  if (base !== undefined) await refuseOtherBase(files, directory, base);
  const { tensors, values } = await readTrainerState(files, directory);
  if (values['formatVersion'] !== 1) throw new Error(`${directory} was written by another version of this policy`);
  const block = new ParameterBlock(trainableShapes(config, parts));
  await fillTrained(files, directory, config, parts, block);
  for (const name of VALUE_HEAD) {
    const [view, source] = [block.views.get(name), tensors.get(name)];
    if (view === undefined) continue;
    const saved = source && (await readSource(source));
    if (saved?.length !== view.length) {
      throw new Error(`${name} has ${saved?.length ?? 'no'} numbers, but the model has ${view.length}`);
    }
    view.set(saved);
  }
  const saved = values['optimizer'] as JsonObject | undefined;
  const moments = [...tensors].filter(([name]) => name.startsWith(MOMENT));
  return {
    data: block.data,
    policyVersion: Number(values['policyVersion']),
    ...(saved && {
      optimizer: {
        settings: { name: saved['name'] as string, options: saved['options'] as OptimizerSettings['options'] },
        steps: Number(saved['steps']),
        moments: new Map(moments.map(([name, source]) => [name.slice(MOMENT.length), source])),
      },
    }),
  };
}

/** Reads the weights, or the adapter, into their places. */
async function fillTrained(
  files: OutsideFiles,
  directory: string,
  config: DecoderConfig,
  { adapter }: ParameterOptions,
  block: ParameterBlock,
): Promise<void> {
  if (adapter === undefined) return fillWeights(await weightSources(files, directory), weightPlaces(block));
  const { settings } = await readAdapterConfig(files, directory);
  for (const [name, { data }] of await readAdapterWeights(files, directory, config, settings))
    block.views.get(name)!.set(data);
}

/** Where the weights of a folder belong in a block. A folder has no value head. */
export function weightPlaces({ views, shapes }: ParameterBlock): Map<string, HostTensor> {
  const weights = [...views].filter(([name]) => !VALUE_HEAD.includes(name));
  return new Map(weights.map(([name, data]) => [name, { shape: shapes.get(name) ?? [], data }]));
}
