import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  length: {
    type: 'integer',
    minimum: 5,
    maximum: 99,
    default: 24,
    description: 'Places of the corridor',
    axis: true,
    levels: [12, 18, 24],
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;
