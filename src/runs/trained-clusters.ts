import { existsSync } from 'node:fs';
import { join } from 'node:path';

import * as v from 'valibot';

import { writeJsonAtomically } from './durable-files.js';
import { readDocument } from './read-document.js';

/**
 * The clusters of tasks on which a run trains: later evaluations separate seen from unseen ones. Written only if splits
 * share clusters.
 */
const trainedClusters = v.looseObject({
  formatVersion: v.literal(1),
  /** Sorted by code unit. */
  clusters: v.array(v.string()),
});

function pathIn(directory: string): string {
  return join(directory, 'trained-clusters.json');
}

export async function writeTrainedClusters(directory: string, clusters: ReadonlySet<string>): Promise<void> {
  const document: v.InferOutput<typeof trainedClusters> = { formatVersion: 1, clusters: [...clusters].sort() };
  await writeJsonAtomically(pathIn(directory), document);
}

/** Undefined if the splits of the run share no clusters. */
export async function readTrainedClusters(directory: string): Promise<ReadonlySet<string> | undefined> {
  if (!existsSync(pathIn(directory))) return undefined;
  const { clusters } = await readDocument(pathIn(directory), {
    schema: trainedClusters,
    name: 'a list of clusters of tasks',
    code: 'AG_RUN_DAMAGED',
    hint: 'Restore it from a copy: without it, evaluations do not know what the run trained on.',
  });
  return new Set(clusters);
}
