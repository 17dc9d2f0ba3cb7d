import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  digits: {
    type: 'integer',
    minimum: 1,
    maximum: 17,
    default: 15,
    description: 'Significant digits of an answer; 17 digits distinguish every float64',
  },
  maxCharacters: {
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: 200,
    description: 'A longer expression is malformed',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;
