import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const plainOptions = {
  maxCharacters: {
    type: 'integer',
    minimum: 1,
    default: 4096,
    description: 'A longer text is malformed and never reaches the environment',
  },
} as const satisfies OptionsDeclaration;

export type PlainOptions = OptionsOf<typeof plainOptions>;
