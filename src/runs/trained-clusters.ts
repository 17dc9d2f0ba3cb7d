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
  /** By the name of their environment; sorted by code unit. */
  environments: v.record(v.string(), v.array(v.string())),
});

/** Clusters by the name of their environment. */
export type TrainedClusters = ReadonlyMap<string, ReadonlySet<string>>;

function pathIn(directory: string): string {
  return join(directory, 'trained-clusters.json');
}

export async function writeTrainedClusters(directory: string, clusters: TrainedClusters): Promise<void> {
  const environments = Object.fromEntries([...clusters].map(([name, own]) => [name, [...own].sort()]));
  const document: v.InferOutput<typeof trainedClusters> = { formatVersion: 1, environments };
  await writeJsonAtomically(pathIn(directory), document);
}

/** Undefined if the splits of the run share no clusters. */
export async function readTrainedClusters(directory: string): Promise<TrainedClusters | undefined> {
  if (!existsSync(pathIn(directory))) return undefined;
  const { environments } = await readDocument(pathIn(directory), {
    schema: trainedClusters,
    name: 'a list of clusters of tasks',
    code: 'AG_RUN_DAMAGED',
    hint: 'Restore it from a copy: without it, evaluations do not know what the run trained on.',
  });
  return new Map(Object.entries(environments).map(([name, clusters]) => [name, new Set(clusters)]));
}
