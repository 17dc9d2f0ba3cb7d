import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

// Edit here: the options. `agentgym describe environment template-name` and recipes read this declaration.
export const options = {
  size: {
    type: 'integer',
    minimum: 3,
    maximum: 6,
    default: 4,
    description: 'Squares per side of the town',
    axis: true,
    levels: [3, 4, 5],
  },
  spare: {
    type: 'integer',
    minimum: 0,
    default: 2,
    description: 'Allowed turns beyond the shortest way',
    axis: true,
    levels: [4, 2, 0],
  },
  forgetting: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.5,
    description: 'How often the demonstrator walks towards the door without a parcel',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;
