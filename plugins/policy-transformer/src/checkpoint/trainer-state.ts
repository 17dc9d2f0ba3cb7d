import { join } from 'node:path';

import type { JsonObject, OutsideFiles } from '@agentgym/cli';

import { openSafetensors, type TensorSource, writeTensors } from './safetensors.js';

/** Data that training needs besides the model to continue exactly: moments of the optimizer, and counts. */
export interface TrainerState {
  readonly tensors: ReadonlyMap<string, TensorSource>;
  readonly values: JsonObject;
}

const fileName = 'trainer_state.safetensors';
const metadataKey = 'agentgym';

/** Writes the state beside a model. Tensors without a type are written as float32: reading them returns the same bits. */
export async function writeTrainerState(directory: string, { tensors, values }: TrainerState): Promise<void> {
  await writeTensors(join(directory, fileName), tensors, { [metadataKey]: JSON.stringify(values) }, 'F32');
}

/** Opens the state that `writeTrainerState` wrote. Throws if it is missing or damaged. */
export async function readTrainerState(files: OutsideFiles, directory: string): Promise<TrainerState> {
  const path = join(directory, fileName);
  const { tensors, metadata } = await openSafetensors(files, path);
  const text = metadata[metadataKey];
  if (text === undefined) throw new Error(`${path} contains no trainer state`);
  return { tensors, values: JSON.parse(text) as JsonObject };
}
