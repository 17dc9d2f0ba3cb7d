import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  clip: { type: 'number', minimum: 0, exclusiveMinimum: true, default: 0.2, description: 'Bound of the ratio' },
} as const satisfies OptionsDeclaration;

export type AlgorithmOptions = OptionsOf<typeof options>;
