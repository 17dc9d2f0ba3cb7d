import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const bandOptions = {
  low: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.1,
    description: 'Lowest success so far of what is handed out',
  },
  high: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.9,
    description: 'Highest success so far of what is handed out',
  },
  of: {
    type: 'string',
    default: 'task',
    description: 'What has a success: a `task`, a `cluster`, or the label of this axis, such as `depth`',
  },
  recency: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    exclusiveMinimum: true,
    default: 0.5,
    description: 'Weight of the newest group in the success so far; 1 forgets all before it',
  },
  retryAfter: {
    type: 'integer',
    minimum: 1,
    default: 20,
    description: 'Steps after which what lies outside the band is tried again',
  },
} as const satisfies OptionsDeclaration;

export type BandOptions = OptionsOf<typeof bandOptions>;

export function validateBand({ low, high }: BandOptions): readonly OptionFinding[] {
  if (low < high) return [];
  return [
    { path: ['low'], message: `\`low\` is ${low}, which is not below \`high\` ${high}`, hint: 'Widen the band.' },
  ];
}

export const weightsOptions = {
  entries: {
    type: 'strings',
    default: [],
    description: 'Names of the environments whose weights change',
  },
  to: {
    type: 'numbers',
    minimum: 0,
    default: [],
    description: 'Their weights after the ramp, in the same order; 0: not played any more',
  },
  over: { type: 'integer', minimum: 1, default: 100, description: 'Length of the ramp in steps' },
} as const satisfies OptionsDeclaration;

export type WeightsOptions = OptionsOf<typeof weightsOptions>;

export function validateWeights({ entries, to }: WeightsOptions): readonly OptionFinding[] {
  if (entries.length === 0) {
    const message = '`entries` names no environment, so no weight would change';
    return [{ path: ['entries'], message, hint: 'Name one, or use `uniform`, which keeps the weights of the recipe.' }];
  }
  if (entries.length === to.length) return [];
  const message = `\`to\` has ${to.length} weights, and \`entries\` ${entries.length} names`;
  return [{ path: ['to'], message, hint: 'Write one weight for each name.' }];
}
