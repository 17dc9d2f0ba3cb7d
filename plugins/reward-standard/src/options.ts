import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const sparseOptions = {} as const satisfies OptionsDeclaration;

/** Of every scheme that pays on the way. */
export const wayOptions = {
  share: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    maximum: 1,
    default: 0.5,
    description: 'What the whole way is worth beside the 1 for arriving',
  },
} as const satisfies OptionsDeclaration;
export type WayOptions = OptionsOf<typeof wayOptions>;

export const formatOptions = {
  price: {
    type: 'number',
    minimum: 0,
    default: 0.005,
    description: 'Taken for each turn whose text was no action or ran into maxActionTokens',
  },
} as const satisfies OptionsDeclaration;
export type FormatOptions = OptionsOf<typeof formatOptions>;

export const costOptions = {
  turn: { type: 'number', minimum: 0, default: 0.001, description: 'Taken for each turn' },
  token: { type: 'number', minimum: 0, default: 0.00001, description: 'Taken for each sampled token' },
  invalid: {
    type: 'number',
    minimum: 0,
    default: 0.001,
    description: 'Taken for each action that was not understood or not legal',
  },
  toolCall: { type: 'number', minimum: 0, default: 0.001, description: 'Taken for each turn that calls a tool' },
} as const satisfies OptionsDeclaration;
export type CostOptions = OptionsOf<typeof costOptions>;
