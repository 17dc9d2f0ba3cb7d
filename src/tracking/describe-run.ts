import { basename, dirname } from 'node:path';

import type { JsonObject } from '../contracts/json.js';
import { isAblation } from '../runs/folder-kind.js';
import { recipeLeaves } from '../runs/recipe-leaves.js';
import type { RunLabel } from '../runs/run-label.js';
import { nameOfRun } from '../runs/run-label.js';
import type { RunManifest, RunStatus } from '../runs/run-manifest.js';
import { shellCommand } from '../runs/shell-command.js';
import type { MlflowIdentity, MlflowStatus } from './mlflow-run.js';

/** How a run stands in MLflow's words. A stopped or interrupted run can resume, and then runs again. */
export const mlflowStatus: { readonly [status in RunStatus]: MlflowStatus } = {
  running: 'RUNNING',
  completed: 'FINISHED',
  failed: 'FAILED',
  interrupted: 'KILLED',
  stopped: 'KILLED',
};

export function identityOf(directory: string, manifest: RunManifest, label: RunLabel): MlflowIdentity {
  return {
    tag: 'agentgym.run_id',
    value: manifest.id,
    startTime: Date.parse(manifest.createdAt),
    name: nameOfRun(directory, manifest, label),
  };
}

/** Tags of a run. Those that begin with `mlflow.` are shown by MLflow's pages (`mlflow/utils/mlflow_tags.py`). */
export function tagsOf(
  directory: string,
  {
    manifest,
    label,
    status,
    parent,
  }: {
    readonly manifest: RunManifest;
    readonly label: RunLabel;
    readonly status: RunStatus;
    /** Id of the ablation's run on MLflow; undefined: the run is none of an ablation, or its ablation is not there yet. */
    readonly parent: string | undefined;
  },
): Record<string, string> {
  const { id, name, versions, git, command, error } = manifest;
  return {
    'agentgym.run_id': id,
    'agentgym.name': nameOfRun(directory, manifest, label),
    'agentgym.recipe': name,
    'agentgym.status': status,
    ...(error && { 'agentgym.error': `${error.code}: ${error.message}` }),
    ...sourceTags(versions['agentgym'], command),
    ...(git?.commit && { 'mlflow.source.git.commit': git.commit }),
    ...(ablationAround(directory) !== undefined && { 'agentgym.cell': basename(dirname(directory)) }),
    ...(parent !== undefined && { 'mlflow.parentRunId': parent }),
  };
}

/** Tags that say what made a run. */
export function sourceTags(
  version: string | undefined,
  command: readonly string[] | undefined,
): Record<string, string> {
  const words = command && shellCommand(['agentgym', ...command]);
  return {
    ...(version !== undefined && { 'agentgym.version': version }),
    'mlflow.source.type': 'LOCAL',
    'mlflow.source.name': words ?? 'agentgym',
    ...(words !== undefined && { 'agentgym.command': words }),
  };
}

/** The leaves of a resolved recipe as params; a list is written as JSON. */
export function paramsOf(recipe: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(recipeLeaves(recipe)).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/** The ablation that a run belongs to, by the place of its folder: `ABLATION/cells/CELL/seed-N`. */
export function ablationAround(directory: string): string | undefined {
  const above = dirname(dirname(dirname(directory)));
  return isAblation(above) ? above : undefined;
}
