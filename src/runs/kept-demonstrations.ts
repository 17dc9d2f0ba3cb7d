// demonstrations/STAGE.jsonl holds what the expert of a supervised stage played for training, and
// demonstrations/held-out/STAGE.jsonl what it played on validation tasks, for measurements. The manifest records their
// digests. A file that the user named in the recipe stays where it is; only its digest is recorded.
import { join, resolve } from 'node:path';

import * as v from 'valibot';

import type { JsonObject } from '../contracts/json.js';
import type { DemonstrationHeader } from '../demonstrations/demonstration-header.js';
import { openDemonstrations } from '../demonstrations/open-demonstrations.js';
import { fileDigest, type FileDigest } from '../demonstrations/file-digest.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';
import { makeFolder } from '../files/make-folder.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { syncFolder } from './durable-files.js';

const jsonObject = v.record(v.string(), v.unknown()) as unknown as v.GenericSchema<JsonObject>;

/** A file of demonstrations as a manifest records it. */
const keptFile = {
  /** Relative to the run's folder, or the path of a file that the recipe names. */
  file: v.string(),
  bytes: v.number(),
  sha256: v.string(),
  /** Number of demonstrations that were stored or, of a file that the recipe names, used. */
  episodes: v.number(),
};
export type KeptFile = Readonly<v.InferOutput<v.ObjectSchema<typeof keptFile, undefined>>>;

/** The data of a supervised stage. */
export const stageRecordSchema = v.object({
  training: v.object({
    ...keptFile,
    /** The first demonstrations, from which the stage learns. */
    learned: v.number(),
    /** The first demonstrations, from which a tokenizer was built; absent if none was. */
    corpus: v.optional(v.number()),
    /** Number of paid demonstrations, including those that `successOnly` left out. */
    bought: v.number(),
    /** Number of distinct tasks of the demonstrations to learn from. */
    tasks: v.number(),
    /** Number of demonstrations to learn from whose task is not known. */
    withoutTask: v.number(),
    /** Demonstrations of other environments than the recipe's, and the number of their tasks; absent if there are none. */
    others: v.exactOptional(
      v.pipe(
        v.array(v.object({ name: v.string(), options: jsonObject, episodes: v.number(), tasks: v.number() })),
        v.readonly(),
      ),
    ),
  }),
  /** Games on validation tasks, which measure imitation; absent until they are played. */
  heldOut: v.exactOptional(v.object(keptFile)),
});
export type StageRecord = Readonly<v.InferOutput<typeof stageRecordSchema>>;

/** The name of a stage's demonstrations of one environment, in the manifest and of its file. */
export function keptName(stage: string, entry: string | undefined): string {
  return entry === undefined ? stage : `${stage}.${entry}`;
}

/** The file of demonstrations with this name in a run's folder. */
export function keptPath(run: string, kept: string, use: 'training' | 'heldOut'): string {
  const name = `${encodeURIComponent(kept)}.jsonl`;
  return join(run, 'demonstrations', ...(use === 'heldOut' ? ['held-out'] : []), name);
}

/**
 * Stores demonstrations in a run's folder. The file appears as a whole or not at all. Throws AG_DEMONSTRATION_WRITE.
 */
export async function keepEpisodes(
  run: string,
  file: string,
  header: DemonstrationHeader,
  episodes: Iterable<DemonstratedEpisode>,
): Promise<KeptFile> {
  await makeFolder(join(file, '..'));
  const writer = await openDemonstrations(file, header);
  let count = 0;
  try {
    for (const episode of episodes) {
      await writer.write(episode);
      count += 1;
    }
  } catch (error) {
    await writer.discard();
    throw error;
  }
  const digest = await writer.finish();
  await syncFolder(join(file, '..'));
  return { file: file.slice(resolve(run).length + 1), ...digest, episodes: count };
}

/** Throws AG_RUN_DAMAGED if a file in a run's folder is missing, or differs from its record. */
export async function checkKept(file: string, record: FileDigest): Promise<void> {
  const problem = await differenceFrom(file, record);
  if (problem === undefined) return;
  throw new AgentgymError('AG_RUN_DAMAGED', {
    message: `The file ${file} of the run is damaged: ${problem}.`,
    hint: 'Restore the file from a copy, or start a new run.',
    file,
  });
}

/** How a file differs from its record; undefined if it does not. */
export async function differenceFrom(file: string, { bytes, sha256 }: FileDigest): Promise<string | undefined> {
  let found: FileDigest;
  try {
    found = await fileDigest(file);
  } catch (error) {
    return systemReason(error);
  }
  if (found.bytes !== bytes) return `it is ${found.bytes} bytes long, but the run recorded ${bytes}`;
  return found.sha256 === sha256 ? undefined : `its SHA-256 is ${found.sha256}, but the run recorded ${sha256}`;
}
