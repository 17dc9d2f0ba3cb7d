import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

// Edit here: the options. `agentgym describe policy template-name` and recipes read this declaration.
export const options = {
  window: {
    type: 'integer',
    minimum: 1,
    maximum: 64,
    default: 12,
    description: 'Number of last tokens that the model uses',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;
