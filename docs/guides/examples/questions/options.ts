import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  files: { type: 'string', default: 'data', description: 'Folder with the rows, or a file of them' },
  held: {
    type: 'number',
    minimum: 0,
    maximum: 0.5,
    default: 0.1,
    description: 'Share of the training rows for validation',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;
