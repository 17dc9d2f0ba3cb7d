// prompt.json holds what every conversation of a run begins with. The manifest records its digest.
import { join } from 'node:path';

import * as v from 'valibot';

import { fileDigest, type FileDigest } from '../demonstrations/file-digest.js';
import type { ExampleGame } from '../rollout/worked-examples.js';
import { writeJsonAtomically } from './durable-files.js';
import { checkKept } from './kept-demonstrations.js';
import { readDocument } from './read-document.js';

/** `prompt.json` */
export interface KeptPrompt {
  /** The system text of tasks without rules of their own, whole. */
  readonly system: string;
  readonly games: readonly ExampleGame[];
}

/** A prompt as a manifest records it. */
export interface PromptRecord extends FileDigest {
  /** Number of worked games. */
  readonly games: number;
  /** Tokens before the first observation of a task. */
  readonly tokens: number;
}

/** The shape of a `PromptRecord`. */
export const promptRecordSchema = v.looseObject({
  bytes: v.number(),
  sha256: v.string(),
  games: v.number(),
  tokens: v.number(),
});

const document = {
  schema: v.looseObject({
    formatVersion: v.literal(1),
    system: v.string(),
    games: v.array(
      v.looseObject({
        task: v.string(),
        observations: v.array(v.string()),
        texts: v.pipe(v.array(v.string()), v.minLength(1)),
        calls: v.array(v.number()),
      }),
    ),
  }),
  name: 'the prompt of a run',
  code: 'AG_RUN_DAMAGED',
  hint: 'Restore the file from a copy, or start a new run.',
} as const;

const promptFile = (run: string): string => join(run, 'prompt.json');

/** Stores the prompt in a run's folder. */
export async function keepPrompt(run: string, prompt: KeptPrompt): Promise<FileDigest> {
  await writeJsonAtomically(promptFile(run), { formatVersion: 1, ...prompt });
  return fileDigest(promptFile(run));
}

/** The prompt that a run has recorded. Undefined if it has none. Throws AG_RUN_DAMAGED if the file changed. */
export async function readKeptPrompt(run: string, record: PromptRecord | undefined): Promise<KeptPrompt | undefined> {
  if (record === undefined) return undefined;
  await checkKept(promptFile(run), record);
  const { system, games } = await readDocument(promptFile(run), document);
  return { system, games };
}
