import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  engine: {
    type: 'choice',
    choices: ['auto', 'native', 'wasm'],
    default: 'auto',
    description:
      'What computes: native code where it loads (auto), native code or nothing, or WebAssembly, which runs everywhere',
  },
  threads: {
    type: 'integer',
    minimum: 1,
    maximum: 64,
    default: null,
    description: 'Threads that sample and train side by side; one per processor core, up to 8, where not set',
  },
  microBatchTokens: {
    type: 'integer',
    minimum: 16,
    default: 2048,
    description: 'Rows times width of what one thread trains on at once: less takes less memory',
  },
  cacheMegabytes: {
    type: 'integer',
    minimum: 1,
    default: 1024,
    description:
      'Memory for keys and values of episodes under way, over all threads; beyond it they are computed again',
  },
  tokenizer: {
    type: 'choice',
    choices: ['words', 'bytes'],
    default: 'words',
    description:
      'How a model from scratch cuts text: whole words of the demonstrations, or byte pairs, which spell any text',
  },
  vocabularySize: {
    type: 'integer',
    minimum: 257,
    default: 4096,
    description: 'Most tokens that the tokenizer of a model from scratch may have',
  },
} as const satisfies OptionsDeclaration;

export type TransformerOptions = OptionsOf<typeof options>;
