import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  url: { type: 'string', default: null, description: 'Address of the server; unset: the variable TINKER_BASE_URL' },
  server: {
    type: 'choice',
    choices: ['tinker', 'skyrl', 'skyrl-jax'],
    default: 'tinker',
    description: 'What the server is: `skyrl` for its backends fsdp and megatron; they add losses up in different ways',
  },
  model: {
    type: 'string',
    default: null,
    description: 'Name of the base model; unset: the first that the server lists',
  },
  rank: { type: 'integer', minimum: 1, maximum: 1024, default: 32, description: 'Rank of the LoRA adapter' },
  maxTokens: {
    type: 'integer',
    minimum: 2,
    default: null,
    description: 'Longest sequence that the server takes; unset: the positions in config.json of the tokenizer folder',
  },
  thinking: {
    type: 'choice',
    choices: ['template', 'keep', 'drop', 'off'],
    default: 'template',
    description:
      'Thinking of earlier actions: as the chat template has it, which must keep it (template), always kept (keep), dropped as in the template (drop), or never asked for (off)',
  },
  keyVariable: {
    type: 'string',
    default: 'TINKER_API_KEY',
    description: 'Environment variable that has the key; if it is not set, no key is sent',
  },
  protocol: {
    type: 'choice',
    choices: ['auto', 'protobuf', 'json'],
    default: 'auto',
    description: 'How batches are written; auto: as protobuf, or as JSON if the server refuses that',
  },
  batchSequences: { type: 'integer', minimum: 1, default: 128, description: 'Most sequences of one request to train' },
  batchTokens: { type: 'integer', minimum: 1, default: 500_000, description: 'Most tokens of one request to train' },
  concurrency: {
    type: 'integer',
    minimum: 1,
    maximum: 4096,
    default: 256,
    description: 'Requests to sample that are open at the same time',
  },
  keepSteps: {
    type: 'integer',
    minimum: 1,
    default: 10,
    description: 'Optimizer steps that are remembered and made again if the server loses the model',
  },
  deadlineSeconds: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    default: 1800,
    description: 'Longest wait for the result of one request',
  },
  outageSeconds: {
    type: 'number',
    minimum: 0,
    default: 300,
    description:
      'Longest time for which the server may be unreachable, or refuse for its rate limit, before the run ends',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

/** A URL with a secret, or none that can be asked. */
export function validate({ url }: Options): readonly OptionFinding[] {
  if (url === null) return [];
  const problem = problemOfUrl(url);
  return problem === undefined ? [] : [{ path: ['url'], ...problem }];
}

/** What is wrong with an address. The message never has the address, which may have a secret. */
export function problemOfUrl(text: string): { readonly message: string; readonly hint: string } | undefined {
  const hint = 'Write it as http://127.0.0.1:8000.';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return { message: 'the address is not a URL', hint };
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    const cure = 'Put the key into the environment variable that the option keyVariable names, and not into the URL.';
    return { message: 'the address has a name, a password or a query', hint: cure };
  }
  return undefined;
}

/** Constants of the server's optimizer. */
export const adamwOptions = {
  beta1: { type: 'number', minimum: 0, maximum: 1, default: 0.9, description: 'Decay of the first moment' },
  beta2: { type: 'number', minimum: 0, maximum: 1, default: 0.999, description: 'Decay of the second moment' },
  epsilon: { type: 'number', minimum: 0, default: 1e-8, description: 'Added to the root of the second moment' },
  weightDecay: { type: 'number', minimum: 0, default: 0, description: 'Decoupled weight decay' },
} as const satisfies OptionsDeclaration;
