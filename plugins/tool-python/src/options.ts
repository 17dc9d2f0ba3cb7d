import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  python: {
    type: 'string',
    default: '/usr/bin/python3',
    description: 'The Python inside the sandbox; it and its packages are below `/usr` or `read`',
  },
  read: { type: 'strings', default: [], description: 'Files and folders outside that programs may read' },
  seconds: { type: 'number', minimum: 0, exclusiveMinimum: true, default: 5, description: 'Longest time of a program' },
  megabytes: { type: 'integer', minimum: 16, default: 256, description: 'Memory of a program' },
  maxCharacters: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    default: 10_000,
    description: 'A longer program is malformed',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;
