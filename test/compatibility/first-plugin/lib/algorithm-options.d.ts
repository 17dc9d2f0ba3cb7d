import type { OptionsOf } from '@agentgym/cli';
export declare const options: {
  readonly clip: {
    readonly type: 'number';
    readonly minimum: 0;
    readonly exclusiveMinimum: true;
    readonly default: 0.2;
    readonly description: 'Bound of the ratio';
  };
};
export type AlgorithmOptions = OptionsOf<typeof options>;
