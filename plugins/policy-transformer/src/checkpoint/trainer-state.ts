import { join } from 'node:path';

import type { JsonObject } from '@agentgym/cli';

import { type HostTensor, readSafetensors, writeSafetensors } from './safetensors.js';

/** Data that training needs besides the model to continue exactly: moments of the optimizer, and counts. */
export interface TrainerState {
  readonly tensors: ReadonlyMap<string, HostTensor>;
  readonly values: JsonObject;
}

const fileName = 'trainer_state.safetensors';
const metadataKey = 'agentgym';

/** Writes the state beside a model. Reading it returns the same bits. */
export async function writeTrainerState(directory: string, { tensors, values }: TrainerState): Promise<void> {
  await writeSafetensors(join(directory, fileName), { tensors, metadata: { [metadataKey]: JSON.stringify(values) } });
}

/** Reads the state that `writeTrainerState` wrote. Throws if it is missing or damaged. */
export async function readTrainerState(directory: string): Promise<TrainerState> {
  const path = join(directory, fileName);
  const { tensors, metadata } = await readSafetensors(path);
  const text = metadata[metadataKey];
  if (text === undefined) throw new Error(`${path} contains no trainer state`);
  return { tensors, values: JSON.parse(text) as JsonObject };
}
