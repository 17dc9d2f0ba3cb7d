import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

// Edit here: what can be set. `agentgym describe policy template-name` and recipes read it from this declaration.
export const options = {
  window: {
    type: 'integer',
    minimum: 1,
    maximum: 64,
    default: 12,
    description: 'Last tokens that the model looks at',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;
