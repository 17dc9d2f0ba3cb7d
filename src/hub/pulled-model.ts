// Where pulled models are. A folder appears under its name only when it is complete; until then it is `NAME.partial`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import * as v from 'valibot';

import { AgentgymError } from '../errors/agentgym-error.js';
import { readKnownJson } from '../files/read-known-json.js';
import { readTextFile } from '../files/read-whole-file.js';

/** `pulled.json` in the folder of a pulled model. It is written last. */
const documentSchema = v.object({
  formatVersion: v.literal(1),
  /** ORG/NAME. */
  model: v.string(),
  /** The branch, tag or commit that was asked for; absent: the hub's default. */
  revision: v.optional(v.string()),
  commit: v.string(),
  /** As the hub names it, such as `apache-2.0`; absent if it names none. */
  license: v.optional(v.string()),
  files: v.record(
    v.string(),
    v.object({
      bytes: v.number(),
      /** See `FileHash`. */
      hash: v.object({ algorithm: v.picklist(['sha256', 'git-blob']), value: v.string() }),
    }),
  ),
});
export type PulledDocument = v.InferOutput<typeof documentSchema>;

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
  return readKnownJson(documentSchema, join(folder, pulledDocumentName));
}

/** What the configuration of an adapter says of its base. */
export async function readBase(file: string): Promise<unknown> {
  const configuration = JSON.parse(await readTextFile(file)) as { readonly [key: string]: unknown };
  return configuration['base_model_name_or_path'];
}
