import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const sparseOptions = {} as const satisfies OptionsDeclaration;

export const progressOptions = {
  share: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    maximum: 1,
    default: 0.5,
    description: 'What the whole way is worth beside the 1 for arriving',
  },
} as const satisfies OptionsDeclaration;

export type ProgressOptions = OptionsOf<typeof progressOptions>;
