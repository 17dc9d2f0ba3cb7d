import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';
import { dapoOptions, drGrpoOptions, gspoOptions } from './variants.js';

const load = () => import('./grpo.js');

export default [
  {
    kind: 'algorithm',
    name: 'grpo',
    summary: 'Group relative policy optimisation: episodes of one task are measured against each other',
    options,
    load,
  } satisfies AlgorithmContribution<typeof options>,
  {
    kind: 'algorithm',
    name: 'dr-grpo',
    summary: 'GRPO done right: no division by a deviation, sums over episodes, flat groups kept',
    options: drGrpoOptions,
    load,
  } satisfies AlgorithmContribution<typeof drGrpoOptions>,
  {
    kind: 'algorithm',
    name: 'gspo',
    summary: 'GRPO with one ratio for an episode; the bounds of the paper are for answers of thousands of tokens',
    options: gspoOptions,
    load,
  } satisfies AlgorithmContribution<typeof gspoOptions>,
  {
    kind: 'algorithm',
    name: 'dapo',
    summary: 'GRPO with a higher upper clip, and further tasks in the place of flat groups',
    options: dapoOptions,
    load,
  } satisfies AlgorithmContribution<typeof dapoOptions>,
];
