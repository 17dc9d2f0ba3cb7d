import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';
import { dapoOptions, drGrpoOptions, gspoOptions } from './variant-options.js';

const grpo = { kind: 'algorithm', load: () => import('./grpo.js') } as const;
const summaries = {
  grpo: 'Group relative policy optimisation: episodes of one task are measured against each other',
  drGrpo: 'GRPO done right: no division by a deviation, sums over episodes, flat groups kept',
  gspo: 'GRPO with one ratio for an episode; the bounds of the paper are for answers of thousands of tokens',
  dapo: 'GRPO with a higher upper clip, and further tasks in the place of flat groups',
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
