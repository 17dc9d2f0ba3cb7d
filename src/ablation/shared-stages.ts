import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { planRun, type SftStagePlan } from '../config/run-plan.js';
import type { Recipe } from '../config/recipe-schema.js';
import type { CellRun } from './ablation-directory.js';

/**
 * Runs of one seed whose cells begin with the same supervised stages, each with the folder where these are kept. What only evaluations depend on may differ, such as the reward:
 * every run evaluates for itself.
 */
export function shareStages(runs: readonly CellRun[], folder: string): readonly CellRun[] {
  const keys = runs.map(({ recipe, seed }) => {
    const key = beginningOf(recipe);
    return key === undefined ? undefined : `seed-${seed}-${key}`;
  });
  return runs.map((run, index) => {
    const key = keys[index];
    const isShared = key !== undefined && keys.indexOf(key) !== keys.lastIndexOf(key);
    return isShared ? { ...run, sharedStages: join(folder, key) } : run;
  });
}

/**
 * Everything in a recipe that the supervised stages before the first of reinforcement learning depend on, as eight hexadecimal digits; undefined where there is none, or where a rule may
 * end one of them by what an evaluation shows. All supervised stages are part of it, since the vocabulary is made of their demonstrations.
 */
function beginningOf(recipe: Recipe): string | undefined {
  const { stages, longestHorizon } = planRun(recipe);
  const supervised = stages.filter((stage): stage is SftStagePlan => stage.kind === 'sft');
  const first = stages[0];
  if (first?.kind !== 'sft' || supervised.some(({ stopWhen }) => stopWhen !== undefined)) return undefined;
  const { environment, format, tools, policy, rollout, evaluation, checkpoint, budget } = recipe;
  const { temperature: _, topP: __, topK: ___, ...sampling } = policy.sampling;
  const all = {
    supervised,
    first: stages.findIndex(({ kind }) => kind === 'rl'),
    longestHorizon,
    budget,
    environment,
    format,
    tools,
    policy: { ...policy, sampling },
    rollout,
    every: [evaluation.every, checkpoint.every],
  };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 8);
}
