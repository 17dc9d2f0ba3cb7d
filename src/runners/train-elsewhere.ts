import { resolve } from 'node:path';

import type { RunEvent } from '../contracts/events.js';
import type { Recipe } from '../config/recipe-schema.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { shellWord } from '../errors/shell-word.js';
import { newRunFolder, refuseExisting } from '../runs/run-directory.js';
import { checkLabel, type RunLabel } from '../runs/run-label.js';
import { readResult, type RunResult } from '../runs/run-result.js';
import { errorOf } from './failure-of.js';
import type { Runner } from './runner.js';

export interface TrainingElsewhere {
  readonly runner: Runner;
  readonly recipe: Recipe;
  /** Folder of the run to resume. */
  readonly resume?: string;
  /** Folder of a new run. Absent: one in `runsFolder`. */
  readonly output?: string;
  readonly runsFolder: string;
  readonly label?: RunLabel;
  readonly listener: (event: RunEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Trains one run, or resumes it, with a runner. The result is read from the run's folder on this machine.
 *
 * @throws AG_INTERRUPTED if it was stopped before it had a result; the error with which it failed
 */
export async function trainElsewhere(options: TrainingElsewhere): Promise<RunResult> {
  const { label = { tags: [] }, listener, output, recipe, resume, runner, runsFolder, signal } = options;
  if (output !== undefined) refuseExisting(output);
  const directory = resolve(resume ?? output ?? newRunFolder(runsFolder, label.name ?? recipe.name));
  const job = { recipe, directory, label: checkLabel(label) };
  const outcome = await runner.train(job, resume !== undefined, listener, signal);
  if ('cause' in outcome) throw errorOf(outcome, 'AG_RUNNER_UNAVAILABLE');
  const result = await readResult(directory);
  if (result !== undefined) return result;
  throw new AgentgymError('AG_INTERRUPTED', {
    message: `The training was ${outcome.status} before it had a result.`,
    hint: `Continue it with \`agentgym train --resume ${shellWord(directory)}\`, or run the same command again.`,
  });
}
