import type { OptionFinding, OptionsDeclaration, OptionsOf, PythonRequirement } from '@agentgym/cli';

export const options = {
  make: {
    type: 'string',
    default: null,
    description: 'What makes an environment, as `module:name` of a callable, such as `gymnasium:make`',
  },
  arguments: {
    type: 'strings',
    default: [],
    description:
      'Arguments of the call: JSON, or text that is none, such as `FrozenLake-v1` and `is_slippery=false`; `name=` names one',
  },
  python: {
    type: 'string',
    default: null,
    description:
      'The Python that plays, such as `.venv/bin/python`; not set: that of AGENTGYM_PYTHON, or `python3` on the PATH',
  },
  folder: { type: 'string', default: '.', description: 'Folder from which Python imports modules of your own' },
  packages: {
    type: 'strings',
    default: [],
    description:
      'Python packages that must be there, such as `gymnasium` or `gymnasium@>=1.0`; a run notes their hashes',
  },
  observe: {
    type: 'string',
    default: 'text',
    description:
      'How an observation becomes text: `text` by `str`, `render` by `render()`, or `module:name` of a function of the observation and the info',
  },
  names: { type: 'strings', default: [], description: 'Names of the actions 0, 1, 2 ...; an agent writes them' },
  read: {
    type: 'string',
    default: null,
    description:
      'How a text becomes an action, as `module:name` of a function that raises ValueError for others. Not set: by `names`, or a number if the actions are numbered, or the text itself',
  },
  players: {
    type: 'strings',
    default: [],
    description:
      'Players besides `random`, as `oracle=module:name` of a function of the environment and a seed that returns a text',
  },
  successReturn: {
    type: 'number',
    default: 0,
    description: 'An episode is a success if it ends with a return above this',
  },
  successInfo: {
    type: 'string',
    default: null,
    description: 'A key of `info` that tells at the end of an episode whether it is a success, instead of the return',
  },
  instructions: { type: 'string', default: '', description: 'The rules, for the system prompt' },
  maxTurns: { type: 'integer', minimum: 1, default: null, description: 'Most turns of an episode, if there are' },
  processes: { type: 'integer', minimum: 1, maximum: 256, default: 1, description: 'Processes of Python that play' },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

const place = /^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$/;

export function validate({ make, observe, players, read, successInfo, successReturn }: Options): OptionFinding[] {
  const findings: OptionFinding[] = [];
  const demand = (isRight: boolean, path: string, message: string, hint: string) => {
    if (!isRight) findings.push({ path: [path], message, hint });
  };
  const hint = 'Write `module:name`, such as `gymnasium:make`.';
  demand(make !== null, 'make', '`make` is not set', hint);
  demand(make === null || place.test(make), 'make', `\`${make}\` names no callable`, hint);
  demand(['text', 'render'].includes(observe) || place.test(observe), 'observe', `\`${observe}\` is unknown`, `Write text, render or \`module:name\`.`); // prettier-ignore
  demand(read === null || place.test(read), 'read', `\`${read}\` names no function`, hint);
  for (const player of players) {
    const [name = '', callable = ''] = player.split('=');
    const isRight = /^[a-z][a-z-]*$/.test(name) && name !== 'random' && place.test(callable);
    demand(isRight, 'players', `\`${player}\` is no player`, 'Write `oracle=module:name`.');
  }
  if (successInfo !== null && successReturn !== 0) {
    const message = '`successReturn` has no effect with `successInfo`';
    findings.push({ path: ['successReturn'], message, hint: 'Remove one of the two.', idle: true });
  }
  return findings;
}

/** The interpreter with packages such as `gymnasium@>=1.0`. */
export function requiredPython({ packages, python }: Pick<Options, 'packages' | 'python'>): PythonRequirement {
  const ranges = packages.map((text): [string, string] => {
    const [name = '', range = '*'] = text.split('@');
    return [name, range];
  });
  const wanted = packages.length === 0 ? '' : ` with ${ranges.map(([name]) => name).join(', ')}`;
  return {
    kind: 'python',
    ...(python !== null && { interpreter: python }),
    name: 'python',
    title: `Python 3.9 or later${wanted}`,
    version: '>=3.9',
    ...(packages.length > 0 && { packages: Object.fromEntries(ranges) }),
    get: `Install Python 3.9 or later${wanted}, or name one by the option \`python\`.`,
  };
}
