import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  engine: {
    type: 'choice',
    choices: ['auto', 'native', 'wasm'],
    default: 'auto',
    description:
      'Engine: native code if it loads, else WebAssembly (auto); native code only; or WebAssembly, which runs everywhere',
  },
  threads: {
    type: 'integer',
    minimum: 1,
    maximum: 64,
    default: null,
    description: 'Number of threads that sample and train in parallel; unset: one per processor core, at most 8',
  },
  microBatchTokens: {
    type: 'integer',
    minimum: 16,
    default: 2048,
    description: 'Rows times width of a micro-batch per thread; a smaller value needs less memory',
  },
  cacheMegabytes: {
    type: 'integer',
    minimum: 1,
    default: 1024,
    description: 'Memory for keys and values of running episodes, over all threads; beyond it they are computed again',
  },
  tokenizer: {
    type: 'choice',
    choices: ['words', 'bytes'],
    default: 'words',
    description:
      'Tokenizer of a model from scratch: whole words of the demonstrations, or byte pairs, which can write any text',
  },
  vocabularySize: {
    type: 'integer',
    minimum: 257,
    default: 4096,
    description: 'Maximum number of tokens in the tokenizer of a model from scratch',
  },
  thinking: {
    type: 'choice',
    choices: ['template', 'keep', 'off'],
    default: 'template',
    description:
      'Thinking blocks of a model from a folder: as in its chat template, which must keep them (template); kept where they were sampled, even if the template drops those of earlier turns (keep); or the template asks for none, with `enable_thinking: false` (off)',
  },
} as const satisfies OptionsDeclaration;

export type TransformerOptions = OptionsOf<typeof options>;
