import { createHash } from 'node:crypto';

import type { Recipe } from './recipe-schema.js';
import { planRun, type SftStagePlan } from './run-plan.js';

/**
 * Everything in a recipe but its seed that the supervised stages before the first of reinforcement learning depend on,
 * as eight hexadecimal digits; undefined where there is none, or where a rule may end one of them by what an evaluation
 * shows. All supervised stages are part of it, since the vocabulary is made of their demonstrations.
 */
export function supervisedBeginning(recipe: Recipe): string | undefined {
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
