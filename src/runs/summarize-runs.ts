import { basename } from 'node:path';

import { isAgentgymError } from '../errors/agentgym-error.js';
import { latestCheckpointFolder } from './checkpoints.js';
import { presentStatus } from './load-run.js';
import { findRuns } from './resolve-run.js';
import { readManifest, type RunStatus } from './run-manifest.js';
import { readResult } from './run-result.js';

/** A run in a list. */
export interface RunSummary {
  readonly id: string;
  /** Name of the recipe. */
  readonly recipe: string;
  readonly status: RunStatus;
  readonly createdAt: string;
  readonly directory: string;
  /** Steps of the newest checkpoint, over all stages; null before the first. */
  readonly step: number | null;
  /** Success of the final evaluation; null until there is one. */
  readonly success: number | null;
}

/** The runs in a folder whose manifests can be read, the newest first. Reads no logs, so that it is quick for many. */
export async function summarizeRuns(runsFolder: string): Promise<RunSummary[]> {
  const runs = [...(await findRuns(runsFolder))].reverse();
  const summaries = await Promise.all(
    runs.map(async ({ directory }): Promise<RunSummary | undefined> => {
      const [manifest, result, checkpoint] = await Promise.all([
        readManifest(directory).catch(unlessNoRun),
        readResult(directory),
        latestCheckpointFolder(directory),
      ]);
      if (manifest === undefined) return undefined;
      return {
        id: manifest.id,
        recipe: manifest.name,
        status: presentStatus(directory, manifest),
        createdAt: manifest.createdAt,
        directory,
        step: checkpoint === undefined ? null : Number(basename(checkpoint).slice('step-'.length)),
        success: result?.evaluation?.success.rate ?? null,
      };
    }),
  );
  return summaries.filter((summary) => summary !== undefined);
}

/** A run that was damaged, or is of another version, hides no other. */
function unlessNoRun(error: unknown): undefined {
  if (!isAgentgymError(error) || error.code !== 'AG_NOT_A_RUN') throw error;
}
