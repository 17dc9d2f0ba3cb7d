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

/** Constants of the optimizer. */
export const adamwOptions = {
  beta1: { type: 'number', minimum: 0, maximum: 1, default: 0.9, description: 'Decay of the first moment' },
  beta2: { type: 'number', minimum: 0, maximum: 1, default: 0.999, description: 'Decay of the second moment' },
  epsilon: { type: 'number', minimum: 0, default: 1e-8, description: 'Added to the root of the second moment' },
  weightDecay: { type: 'number', minimum: 0, default: 0, description: 'Decoupled weight decay' },
} as const satisfies OptionsDeclaration;
