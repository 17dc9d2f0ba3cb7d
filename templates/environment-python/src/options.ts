import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

// Edit here: the options. The program in Python gets them as a dict. `agentgym describe environment template-name` and
// recipes read this declaration.
export const options = {
  floors: {
    type: 'integer',
    minimum: 3,
    maximum: 20,
    default: 9,
    description: 'Number of floors',
    axis: true,
    levels: [6, 9, 12],
  },
  spare: { type: 'integer', minimum: 0, default: 2, description: 'Allowed turns beyond the shortest way' },
  forgetting: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.4,
    description: 'How often the demonstrator drives to the exit without the passenger',
  },
  processes: { type: 'integer', minimum: 1, maximum: 64, default: 1, description: 'Processes of Python that play' },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;
