import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';
import { dapoOptions, drGrpoOptions, gspoOptions } from './variant-options.js';

const grpo = { kind: 'algorithm', load: () => import('./grpo.js') } as const;
const summaries = {
  grpo: 'Group relative policy optimisation: compares the episodes of one task with each other',
  drGrpo: 'GRPO without bias (Dr. GRPO): no division by a deviation, sums over episodes, groups without signal kept',
  gspo: 'GRPO with one ratio per episode; the clip range of the paper is for answers of thousands of tokens',
  dapo: 'GRPO with a higher upper clip, and extra tasks in place of groups without signal',
};

export default [
  { ...grpo, name: 'grpo', summary: summaries.grpo, options } satisfies AlgorithmContribution<typeof options>,
  { ...grpo, name: 'dr-grpo', summary: summaries.drGrpo, options: drGrpoOptions } satisfies AlgorithmContribution<
    typeof drGrpoOptions
  >,
  { ...grpo, name: 'gspo', summary: summaries.gspo, options: gspoOptions } satisfies AlgorithmContribution<
    typeof gspoOptions
  >,
  { ...grpo, name: 'dapo', summary: summaries.dapo, options: dapoOptions } satisfies AlgorithmContribution<
    typeof dapoOptions
  >,
];
