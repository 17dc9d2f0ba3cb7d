import type { Algorithm, AlgorithmFinding, AlgorithmHost, OptionChecks, UpdateSettings } from '@agentgym/cli';
import type { AlgorithmOptions } from './algorithm-options.js';
/** REINFORCE with the group's mean as its baseline, ratios clipped. */
export declare function create({ clip }: AlgorithmOptions, { credit }: AlgorithmHost): Algorithm;
export declare function validate(
  _options: AlgorithmOptions,
  settings: UpdateSettings,
  checks: OptionChecks,
): readonly AlgorithmFinding[];
