import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  model: { type: 'string', default: null, description: 'Name of the model; unset: the first that the server lists' },
  maxTokens: { type: 'integer', minimum: 1, default: 64, description: 'Tokens after which an action is cut' },
  topP: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    maximum: 1,
    default: 1,
    description: 'Share of the probability that sampling keeps',
  },
  extraBody: {
    type: 'string',
    default: null,
    description: 'JSON object whose members are added to every request, such as {"reasoning_effort": "low"}',
  },
  seed: {
    type: 'choice',
    choices: ['own', 'none'],
    default: 'own',
    description: 'Seed of a request: its own one, or none, for servers that refuse the member (Mistral)',
  },
  keyVariable: {
    type: 'string',
    default: 'OPENAI_API_KEY',
    description: 'Environment variable that has the key; if it is not set, no key is sent',
  },
  concurrency: {
    type: 'integer',
    minimum: 1,
    maximum: 1024,
    default: 8,
    description: 'Episodes that are played at the same time, each with one request',
  },
  timeoutSeconds: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    maximum: 300,
    default: 60,
    description: 'Longest wait for one answer',
  },
  retries: {
    type: 'integer',
    minimum: 0,
    maximum: 10,
    default: 5,
    description: 'Times that a request is repeated after a fault of the connection or the server, or at a rate limit',
  },
  inputPrice: { type: 'number', minimum: 0, default: null, description: 'Price of a million tokens of prompts' },
  outputPrice: { type: 'number', minimum: 0, default: null, description: 'Price of a million generated tokens' },
  maxCost: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    default: null,
    description: 'Cost at which playing ends, in the unit of the prices',
  },
  maxTotalTokens: {
    type: 'integer',
    minimum: 1,
    default: null,
    description: 'Number of tokens, of prompts and of answers, at which playing ends',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

/** A budget without prices, and a body that is no JSON object or sets what has its own option. */
export function validate({ extraBody, inputPrice, maxCost, outputPrice }: Options): readonly OptionFinding[] {
  const findings: OptionFinding[] = [];
  if (maxCost !== null && inputPrice === null && outputPrice === null) {
    const message = 'maxCost has no effect: no price is known';
    findings.push({ path: ['maxCost'], message, hint: 'Set inputPrice and outputPrice, or use maxTotalTokens.' });
  }
  return [...findings, ...validateBody(extraBody)];
}

/**
 * A text that is no JSON object, or that sets what is set in another way.
 *
 * @param own where members are set that differ from those of players
 */
export function validateBody(
  extraBody: string | null,
  own: { readonly [member: string]: string } = {},
): readonly OptionFinding[] {
  const owners = { ...OWNED, ...own };
  const body = extraBody === null ? {} : readBody(extraBody);
  const path = ['extraBody'];
  if (body === undefined) {
    const hint = 'Write it as {"reasoning_effort": "low"}.';
    return [{ path, message: 'extraBody is not a JSON object', hint }];
  }
  const owned = Object.keys(body).find((name) => Object.hasOwn(owners, name));
  if (owned === undefined) return [];
  return [{ path, message: `extraBody sets ${owned}`, hint: `Use ${owners[owned]} instead.` }];
}

/** Members of a request that are set in another way. */
const OWNED: { readonly [member: string]: string } = {
  model: 'the option model',
  messages: 'the format and the tools of the command',
  max_tokens: 'the option maxTokens',
  max_completion_tokens: 'the option maxTokens',
  temperature: '`--temperature`',
  top_p: 'the option topP',
  seed: '`--seed`',
  stream: 'no stream: answers are read whole',
  n: '`--episodes-per-task`',
};

/** A JSON object; undefined if the text is none. */
export function readBody(text: string): { readonly [member: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as { readonly [member: string]: unknown }) : undefined;
  } catch {
    return undefined;
  }
}
