// prompt.json holds what every conversation of a run begins with. The manifest records its digest.
import { join } from 'node:path';

import * as v from 'valibot';

import { fileDigest, type FileDigest } from '../demonstrations/file-digest.js';
import type { ExampleGame } from '../rollout/worked-examples.js';
import { writeJsonAtomically } from './durable-files.js';
import { checkKept } from './kept-demonstrations.js';
import { readDocument } from './read-document.js';

/** `prompt.json`, or `prompt.ENTRY.json` of a run of several environments. */
export interface KeptPrompt {
  /** The system text of tasks without rules of their own, whole. */
  readonly system: string;
  readonly games: readonly ExampleGame[];
}

/** A prompt as a manifest records it. */
export const promptRecordSchema = v.object({
  bytes: v.number(),
  sha256: v.string(),
  /** Number of worked games. */
  games: v.number(),
  /** Tokens before the first observation of a task. */
  tokens: v.number(),
});
export type PromptRecord = Readonly<v.InferOutput<typeof promptRecordSchema>>;

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

/** Prompts by the names of their environments; the only environment of a run has none. */
export type KeptPrompts = ReadonlyMap<string | undefined, KeptPrompt>;

function promptFile(run: string, entry: string | undefined): string {
  return join(run, entry === undefined ? 'prompt.json' : `prompt.${entry}.json`);
}

/**
 * Stores a prompt in a run's folder.
 *
 * @param entry the environment of several that it is for
 */
export async function keepPrompt(run: string, prompt: KeptPrompt, entry?: string): Promise<FileDigest> {
  const file = promptFile(run, entry);
  await writeJsonAtomically(file, { formatVersion: 1, ...prompt });
  return fileDigest(file);
}

/** The prompts that a run has recorded. Throws AG_RUN_DAMAGED if a file changed. */
export async function readKeptPrompts(
  run: string,
  {
    prompt,
    prompts = {},
  }: { readonly prompt?: PromptRecord; readonly prompts?: { readonly [entry: string]: PromptRecord } },
): Promise<KeptPrompts> {
  const kept = new Map<string | undefined, KeptPrompt>();
  const records = [...(prompt ? [[undefined, prompt] as const] : []), ...Object.entries(prompts)];
  for (const [entry, record] of records) {
    const file = promptFile(run, entry);
    await checkKept(file, record);
    const { system, games } = await readDocument(file, document);
    kept.set(entry, { system, games });
  }
  return kept;
}
