import { realpath, rm } from 'node:fs/promises';
import { relative, sep } from 'node:path';

import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';
import { removeFolder } from './checkpoint-files.js';
import { planPrune, type PrunePlan, type PruneRequest, type PrunedRun } from './prune-plan.js';
import { resolveRun } from './resolve-run.js';
import { acquireRunLock } from './run-lock.js';

export interface PruneRunsRequest extends Omit<PruneRequest, 'only'> {
  /** RUNs as in commands. Empty: all runs. */
  readonly references: readonly string[];
  /** Whether to remove what was found. If false, nothing changes. */
  readonly yes: boolean;
}

/** The output of `runs prune --json`. */
export interface PruneResult extends PrunePlan {
  /** Whether everything was removed, or only planned. */
  readonly removed: boolean;
  readonly bytes: number;
}

/**
 * Frees space in a folder of runs: finds what may be removed and, with `yes`, removes it under each run's lock.
 *
 * @throws AG_RUN_NOT_FOUND for a missing folder, AG_COMMAND_USAGE for a run outside of it, AG_RUN_WRITE_FAILED
 */
export async function pruneRuns(request: PruneRunsRequest): Promise<PruneResult> {
  const { runsFolder, what, references, yes } = request;
  const root = await realpath(runsFolder).catch((error: unknown) => {
    throw new AgentgymError('AG_RUN_NOT_FOUND', { message: `There is no folder ${runsFolder}.`, cause: error });
  });
  const only = await Promise.all(references.map((reference) => runWithin(reference, runsFolder, root)));
  const plan = await planPrune({ runsFolder, what, ...(only.length > 0 && { only }) });
  const done = yes ? await removeAll(plan.runs) : { runs: plan.runs, notes: [] };
  const { leftovers } = plan;
  for (const { path } of yes ? leftovers : []) {
    await rm(path, { recursive: true, force: true }).catch((error: unknown) => {
      throw failed(path, error);
    });
  }
  const bytes = [...done.runs.flatMap(({ remove }) => remove), ...leftovers].reduce((sum, one) => sum + one.bytes, 0);
  return { removed: yes, runs: done.runs, leftovers, bytes, notes: [...plan.notes, ...done.notes] };
}

async function runWithin(reference: string, runsFolder: string, root: string): Promise<string> {
  const run = await realpath(await resolveRun(reference, runsFolder));
  const inside = relative(root, run);
  if (inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`)) return run;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `${run} is not in ${root}; the command removes nothing outside of it.`,
    hint: 'Give the folder of the run with `--runs FOLDER`.',
  });
}

/** Removes the planned folders. A run that has become active since then stays unchanged. */
async function removeAll(
  runs: readonly PrunedRun[],
): Promise<{ runs: readonly PrunedRun[]; notes: readonly string[] }> {
  const removed: PrunedRun[] = [];
  const notes: string[] = [];
  for (const pruned of runs) {
    const { run, id, remove } = pruned;
    try {
      const lock = acquireRunLock(run);
      try {
        for (const { path } of remove) await removeFolder(path);
      } finally {
        lock.release();
      }
      removed.push(pruned);
    } catch (error) {
      if (!isAgentgymError(error)) throw failed(run, error);
      notes.push(`Run ${id} is active, and stays unchanged.`);
    }
  }
  return { runs: removed, notes };
}

function failed(run: string, error: unknown): AgentgymError {
  return new AgentgymError('AG_RUN_WRITE_FAILED', {
    message: `Could not remove all planned files of ${run}: ${systemReason(error)}.`,
    hint: 'Make the folder writable, then prune again.',
    file: run,
    cause: error,
  });
}
