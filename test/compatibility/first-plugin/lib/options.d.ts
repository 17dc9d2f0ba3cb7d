import type { OptionsOf } from '@agentgym/cli';
export declare const options: {
  readonly size: {
    readonly type: 'integer';
    readonly minimum: 2;
    readonly maximum: 9;
    readonly default: 4;
    readonly description: 'Numbers on the circle';
    readonly axis: true;
  };
  readonly laps: {
    readonly type: 'number';
    readonly minimum: 0;
    readonly default: null;
    readonly description: 'Turns around it, where there is a limit';
  };
  readonly reply: {
    readonly type: 'choice';
    readonly choices: readonly ['number', 'nothing'];
    readonly default: 'number';
    readonly description: 'What an action is told';
  };
  readonly starts: {
    readonly type: 'integers';
    readonly minimum: 0;
    readonly maximum: 8;
    readonly default: readonly [0, 1];
    readonly description: 'Where episodes begin';
  };
  readonly names: {
    readonly type: 'strings';
    readonly default: readonly ['a', 'b'];
    readonly description: 'Names that details carry';
  };
  readonly title: {
    readonly type: 'string';
    readonly default: null;
    readonly description: 'First line of the instructions';
  };
  readonly strict: {
    readonly type: 'boolean';
    readonly default: false;
    readonly description: 'End at the first wrong number';
  };
};
export type Options = OptionsOf<typeof options>;
