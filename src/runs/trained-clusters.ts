import { join } from 'node:path';

import { longestLog, readTextFile } from '../files/read-whole-file.js';
import { writeJsonAtomically } from './durable-files.js';

/**
 * The clusters of tasks on which a run trains: later evaluations separate seen from unseen ones. Written only if splits
 * share clusters.
 */
interface TrainedClusters {
  readonly formatVersion: 1;
  /** Sorted by code unit. */
  readonly clusters: readonly string[];
}

function pathIn(directory: string): string {
  return join(directory, 'trained-clusters.json');
}

export async function writeTrainedClusters(directory: string, clusters: ReadonlySet<string>): Promise<void> {
  const document: TrainedClusters = { formatVersion: 1, clusters: [...clusters].sort() };
  await writeJsonAtomically(pathIn(directory), document);
}

/** Undefined if the splits of the run share no clusters. */
export async function readTrainedClusters(directory: string): Promise<ReadonlySet<string> | undefined> {
  let text: string;
  try {
    text = await readTextFile(pathIn(directory), longestLog);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return new Set((JSON.parse(text) as TrainedClusters).clusters);
}
