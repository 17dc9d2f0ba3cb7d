import { createHash } from 'node:crypto';

import type { RunPlan, SftStagePlan } from './run-plan.js';

/**
 * Eight hexadecimal digits of everything in a recipe, except its seed, that affects the supervised stages before the
 * first rl stage. Undefined if there is no such stage, or if a rule may end one of them because of an evaluation. All
 * supervised stages are included, since their demonstrations define the vocabulary.
 */
export function supervisedBeginning({ recipe, stages, longestHorizon }: RunPlan): string | undefined {
  const supervised = stages.filter((stage): stage is SftStagePlan => stage.kind === 'sft');
  const first = stages[0];
  if (first?.kind !== 'sft' || supervised.some(({ stopWhen }) => stopWhen !== undefined)) return undefined;
  const { environment, environments, format, tools, prompt, policy, rollout, evaluation, checkpoint, budget } = recipe;
  const { sampler: ____, ...own } = policy;
  const { temperature: _, topP: __, topK: ___, ...sampling } = policy.sampling;
  const all = {
    supervised,
    first: stages.findIndex(({ kind }) => kind === 'rl'),
    longestHorizon,
    budget,
    environment,
    environments,
    format,
    tools,
    prompt,
    policy: { ...own, sampling },
    rollout,
    every: [evaluation.every, checkpoint.every],
  };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 8);
}
