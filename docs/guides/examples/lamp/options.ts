import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  length: {
    type: 'integer',
    minimum: 5,
    maximum: 99,
    default: 12,
    description: 'Places of the corridor',
    axis: true,
    levels: [8, 12, 20],
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;
