declare const _default: (
  | {
      kind: 'environment';
      name: string;
      summary: string;
      options: {
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
      facts: ('progress' | 'milestones')[];
      play: {
        thread: 'main';
        instances: number;
        observationCharacters: number;
        seconds: {
          step: number;
        };
      };
      load: () => Promise<typeof import('./circle.js')>;
      validate: ({
        starts,
      }: import('@agentgym/cli').OptionsOf<{
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
      }>) => {
        path: string[];
        message: string;
        hint: string;
      }[];
      diagnose: (host: import('@agentgym/cli').Host) => Promise<
        {
          level: 'ok';
          message: string;
        }[]
      >;
      needs?: never;
      presets?: never;
    }
  | {
      kind: 'reward';
      name: string;
      summary: string;
      options: {};
      needs: 'milestones'[];
      load: () => Promise<typeof import('./share.js')>;
      facts?: never;
      play?: never;
      validate?: never;
      diagnose?: never;
      presets?: never;
    }
  | {
      kind: 'format';
      name: string;
      summary: string;
      options: {};
      load: () => Promise<typeof import('./bare.js')>;
      facts?: never;
      play?: never;
      validate?: never;
      diagnose?: never;
      needs?: never;
      presets?: never;
    }
  | {
      kind: 'algorithm';
      name: string;
      summary: string;
      options: {
        readonly clip: {
          readonly type: 'number';
          readonly minimum: 0;
          readonly exclusiveMinimum: true;
          readonly default: 0.2;
          readonly description: 'Bound of the ratio';
        };
      };
      load: () => Promise<typeof import('./plain-gradient.js')>;
      facts?: never;
      play?: never;
      validate?: never;
      diagnose?: never;
      needs?: never;
      presets?: never;
    }
  | {
      kind: 'policy';
      name: string;
      summary: string;
      options: {};
      presets: {
        name: string;
        summary: string;
      }[];
      load: () => Promise<typeof import('./table.js')>;
      facts?: never;
      play?: never;
      validate?: never;
      diagnose?: never;
      needs?: never;
    }
  | {
      kind: 'tool';
      name: string;
      summary: string;
      options: {};
      load: () => Promise<typeof import('./letters.js')>;
      facts?: never;
      play?: never;
      validate?: never;
      diagnose?: never;
      needs?: never;
      presets?: never;
    }
)[];
export default _default;
