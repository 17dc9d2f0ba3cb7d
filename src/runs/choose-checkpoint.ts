import { AgentgymError } from '../errors/agentgym-error.js';
import { folderDamage } from './checkpoint-files.js';
import { keptCheckpoints, runWeights } from './checkpoints.js';
import type { LoadedRun } from './load-run.js';

/** How a user names a checkpoint: by its step, or in words. */
export type CheckpointChoice = number | 'best' | 'latest';

/** A checkpoint that is complete and intact. */
export interface ChosenCheckpoint {
  readonly directory: string;
  readonly runStep: number;
  /** It is the last one of a run that was completed, so the final evaluation is its evaluation. */
  readonly isFinal: boolean;
}

/**
 * The checkpoint of a run by its step, `latest`, or `best`: the highest success on the validation split at the lowest
 * temperature that was played; of equal ones the later.
 *
 * @throws AG_CHECKPOINT_NOT_FOUND, AG_CHECKPOINT_BROKEN, AG_NOT_A_RUN if the run has no checkpoint yet
 */
export async function chooseCheckpoint(run: LoadedRun, which: CheckpointChoice): Promise<ChosenCheckpoint> {
  const latest = await runWeights(run.directory);
  const kept = await keptCheckpoints(run.directory);
  const steps = kept.map(({ runStep }) => runStep).join(', ');
  const wanted = which === 'best' ? bestStep(run, kept) : which;
  const found = kept.find(({ directory, runStep }) =>
    wanted === 'latest' ? directory === latest : runStep === wanted,
  );
  if (found === undefined) {
    throw new AgentgymError('AG_CHECKPOINT_NOT_FOUND', {
      message: `The run ${run.directory} has no checkpoint of step ${wanted}; it has those of ${steps}.`,
      hint: 'Name one of them, or `latest`. A recipe keeps more with `checkpoint.keep`.',
      file: run.directory,
    });
  }
  const damage = await folderDamage(found.directory);
  if (damage === undefined) return { ...found, isFinal: found.directory === latest && run.status === 'completed' };
  throw new AgentgymError('AG_CHECKPOINT_BROKEN', {
    message: `The checkpoint ${found.directory} is damaged: ${damage}.`,
    hint: `Choose another with \`--checkpoint N\`: the run has those of ${steps}.`,
    file: found.directory,
  });
}

function bestStep(run: LoadedRun, kept: readonly { readonly runStep: number }[]): number {
  const steps = new Set(kept.map(({ runStep }) => runStep));
  const played = run.evaluations.filter(({ player, runStep, evaluation: { split, environment } }) => {
    return player === 'policy' && split === 'validation' && environment === undefined && steps.has(runStep);
  });
  const lowest = Math.min(...played.map(({ evaluation }) => evaluation.temperature));
  const [best] = played
    .filter(({ evaluation }) => evaluation.temperature === lowest)
    .sort((a, b) => b.evaluation.success.rate - a.evaluation.success.rate || b.runStep - a.runStep);
  if (best !== undefined) return best.runStep;
  throw new AgentgymError('AG_CHECKPOINT_NOT_FOUND', {
    message: `No checkpoint of ${run.directory} was evaluated on the validation split, so none is the best.`,
    hint: 'Choose one with `--checkpoint N` or `--checkpoint latest`; `evaluation.every` and `checkpoint.every` of a recipe set the steps.',
    file: run.directory,
  });
}
