// Where pulled models are. A folder appears under its name only when it is complete; until then it is `NAME.partial`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { readTextFile } from '../files/read-whole-file.js';
import type { FileHash } from '../transfers/file-hash.js';

/** `pulled.json` in the folder of a pulled model. It is written last. */
export interface PulledDocument {
  readonly formatVersion: 1;
  /** ORG/NAME. */
  readonly model: string;
  /** The branch, tag or commit that was asked for; absent: the hub's default. */
  readonly revision?: string | undefined;
  readonly commit: string;
  /** As the hub names it, such as `apache-2.0`; absent if it names none. */
  readonly license?: string | undefined;
  readonly files: { readonly [name: string]: { readonly bytes: number; readonly hash: FileHash } };
}

export const pulledDocumentName = 'pulled.json';

/** Whether a text has the form ORG/NAME of models on a hub. Relative paths begin with `./`. */
export function isModelName(text: string): boolean {
  return /^\w[\w.-]*\/\w[\w.-]*$/.test(text) && !text.includes('..');
}

/** Throws AG_COMMAND_USAGE unless a name has the form ORG/NAME. */
export function refuseOtherName(
  model: string,
  hint = 'Give ORG/NAME: your name or your organization on the hub, a slash, and the name of the model.',
): void {
  if (isModelName(model)) return;
  throw new AgentgymError('AG_COMMAND_USAGE', { message: `${model} is not the name of a model on a hub.`, hint });
}

/** The folder of a model below the folder for caches. */
export function modelFolder(cacheDirectory: string, model: string): string {
  return join(cacheDirectory, 'models', ...model.split('/'));
}

/** The folder of a model that was pulled; undefined if it was not. */
export function findPulledModel(cacheDirectory: string, model: string): string | undefined {
  const folder = modelFolder(cacheDirectory, model);
  return existsSync(join(folder, pulledDocumentName)) ? folder : undefined;
}

/** The document of a pulled model; undefined if the folder has none, or an unreadable one. */
export async function readPulled(folder: string): Promise<PulledDocument | undefined> {
  try {
    const document = JSON.parse(await readTextFile(join(folder, pulledDocumentName))) as PulledDocument;
    const { formatVersion, model, commit, files } = document;
    const isWhole = typeof model === 'string' && typeof commit === 'string' && typeof files === 'object';
    return (formatVersion as number) === 1 && isWhole && files !== null ? document : undefined;
  } catch {
    return undefined;
  }
}

/** What the configuration of an adapter says of its base. */
export async function readBase(file: string): Promise<unknown> {
  const configuration = JSON.parse(await readTextFile(file)) as { readonly [key: string]: unknown };
  return configuration['base_model_name_or_path'];
}
