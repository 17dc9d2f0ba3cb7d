import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const sparseOptions = {} as const satisfies OptionsDeclaration;

/** Options of every scheme that pays intermediate rewards. */
export const wayOptions = {
  share: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    maximum: 1,
    default: 0.5,
    description: 'Sum of all intermediate rewards, next to the 1 for solving',
  },
} as const satisfies OptionsDeclaration;
export type WayOptions = OptionsOf<typeof wayOptions>;

export const formatOptions = {
  price: {
    type: 'number',
    minimum: 0,
    default: 0.005,
    description: 'Price of each turn with malformed text, or text cut at maxActionTokens',
  },
} as const satisfies OptionsDeclaration;
export type FormatOptions = OptionsOf<typeof formatOptions>;

export const costOptions = {
  turn: { type: 'number', minimum: 0, default: 0.001, description: 'Price of each turn' },
  token: { type: 'number', minimum: 0, default: 0.00001, description: 'Price of each sampled token' },
  invalid: {
    type: 'number',
    minimum: 0,
    default: 0.001,
    description: 'Price of each malformed or illegal action',
  },
  toolCall: { type: 'number', minimum: 0, default: 0.001, description: 'Price of each call of a tool' },
} as const satisfies OptionsDeclaration;
export type CostOptions = OptionsOf<typeof costOptions>;

export const callsOptions = {
  answered: { type: 'number', minimum: 0, default: 0.01, description: 'Reward of each call that was answered' },
  failed: { type: 'number', minimum: 0, default: 0.01, description: 'Price of each call that was not' },
} as const satisfies OptionsDeclaration;
export type CallsOptions = OptionsOf<typeof callsOptions>;

export const verifiedOptions = {
  match: {
    type: 'choice',
    choices: ['exact', 'normalized', 'number', 'set', 'f1'],
    default: 'normalized',
    description:
      'When an answer fits: the same characters, the same words, the same number, the same items in any order, or F1 of the words',
  },
  tolerance: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0,
    description: 'Largest difference of a number that fits, as a share of the right one',
  },
  after: {
    type: 'string',
    default: null,
    description: 'Mark before the answer in the last action, such as `answer:`; unset: the whole action is the answer',
  },
} as const satisfies OptionsDeclaration;
export type VerifiedOptions = OptionsOf<typeof verifiedOptions>;

/** A mark of no characters, and a tolerance that nothing reads. */
export function validateVerified({ match, tolerance, after }: VerifiedOptions): readonly OptionFinding[] {
  if (after === '') {
    const hint = 'Remove it: without a mark, the whole action is the answer.';
    return [{ path: ['after'], message: 'after is empty', hint }];
  }
  if (match === 'number' || tolerance === 0) return [];
  const message = `tolerance has no effect with match: ${match}`;
  return [{ path: ['tolerance'], message, hint: 'Remove it, or set match: number.', idle: true }];
}
