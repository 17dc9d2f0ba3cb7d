import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

import type { AdapterSettings } from './checkpoint/adapter-config.js';
import { PROJECTIONS, type Projection } from './model/parameters.js';

export const options = {
  engine: {
    type: 'choice',
    choices: ['auto', 'native', 'wasm', 'webgpu', 'cuda', 'tensorflow'],
    default: 'auto',
    resumable: true,
    description:
      'Engine: native code if it loads, else WebAssembly (auto); native code only; WebAssembly, which runs everywhere; a GPU through WebGPU or CUDA; or TensorFlow, on a GPU if there is one (`agentgym doctor --fix NAME` installs the last two)',
  },
  precision: {
    type: 'choice',
    choices: ['float32', 'bfloat16'],
    default: 'float32',
    description:
      'Products with the matrices of the layers: exact to float32, or of numbers rounded to bfloat16, which only `tensorflow` computes; weights, moments and all else stay float32',
  },
  deterministic: {
    type: 'boolean',
    default: false,
    resumable: true,
    description:
      'Equal seeds give equal bits on a GPU, too: TensorFlow takes other, slower operations; `webgpu` and `cuda` cannot. On processors they always do',
  },
  threads: {
    type: 'integer',
    minimum: 1,
    maximum: 64,
    default: null,
    resumable: true,
    threads: true,
    description: 'Number of threads that sample and train in parallel; unset: one per processor core, at most 8',
  },
  microBatchTokens: {
    type: 'integer',
    minimum: 16,
    default: 2048,
    description: 'Tokens of a micro-batch per thread, with padding; a smaller value needs less memory',
  },
  activationMegabytes: {
    type: 'integer',
    minimum: 0,
    default: 1024,
    resumable: true,
    description:
      'Memory for activations of a model with more than 100 million parameters, from the forward to the backward pass; beyond it they are computed again, which gives the same numbers',
  },
  cacheMegabytes: {
    type: 'integer',
    minimum: 1,
    default: 1024,
    resumable: true,
    description: 'Memory for keys and values of running episodes, over all threads; beyond it they are computed again',
  },
  samplingWeights: {
    type: 'choice',
    choices: ['float32', 'int8', 'int4'],
    default: 'float32',
    description:
      'Weights that sampling multiplies with: those of training (float32), or a rounded copy, which is faster on large models and gives other log probabilities: then set `algorithm.recomputeLogprobs`',
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
  loraRank: {
    type: 'integer',
    minimum: 1,
    maximum: 1024,
    default: null,
    description:
      'Rank of a LoRA adapter: only it is trained, the weights of `policy.from` stay as they are; unset: all weights are trained',
  },
  loraAlpha: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    default: null,
    description: 'The adapter is scaled by alpha / rank; unset: twice the rank',
  },
  loraTargets: {
    type: 'strings',
    default: [],
    description:
      'Matrices with an adapter: q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj; empty: all of them',
  },
  loraRankStabilized: {
    type: 'boolean',
    default: false,
    description: 'The adapter is scaled by alpha / sqrt(rank) instead (rsLoRA)',
  },
  loraDora: {
    type: 'boolean',
    default: false,
    description: 'The lengths of the rows of these matrices are trained, too (DoRA)',
  },
  thinking: {
    type: 'choice',
    choices: ['template', 'keep', 'drop', 'off'],
    default: 'template',
    description:
      'Thinking blocks of a model from a folder: as in its chat template, which must keep them (template); kept where they were sampled, even if the template drops those of earlier turns (keep); dropped in earlier turns as in the template, so that an episode is several token sequences (drop); or the template asks for none, with `enable_thinking: false` (off)',
  },
} as const satisfies OptionsDeclaration;

export type TransformerOptions = OptionsOf<typeof options>;

/** Matrices by the last word of their names. */
const targets = new Map(PROJECTIONS.map((part) => [part.slice(part.indexOf('.') + 1), part]));

/** The adapter that the options ask for, if any. */
export function loraOf(options: TransformerOptions): AdapterSettings | undefined {
  const { loraRank: rank, loraAlpha, loraTargets, loraRankStabilized: rankStabilized, loraDora: dora } = options;
  if (rank === null) return undefined;
  const isTarget = (part: Projection) =>
    loraTargets.length === 0 || loraTargets.some((name) => targets.get(name) === part);
  return { rank, alpha: loraAlpha ?? 2 * rank, rankStabilized, targets: PROJECTIONS.filter(isTarget), dora };
}

/** Checks of the adapter's options. */
export function validate(options: TransformerOptions): OptionFinding[] {
  const findings: OptionFinding[] = [];
  if (options.precision === 'bfloat16' && options.engine !== 'tensorflow') {
    findings.push({
      path: ['precision'],
      message: `the engine ${options.engine} computes in float32 only`,
      hint: 'Set engine: tensorflow, or leave out precision.',
    });
  }
  for (const name of options.loraTargets) {
    if (targets.has(name)) continue;
    findings.push({
      path: ['loraTargets'],
      message: `no matrix is called ${JSON.stringify(name)}`,
      hint: `Write some of ${[...targets.keys()].join(', ')}.`,
    });
  }
  if (options.deterministic && (options.engine === 'webgpu' || options.engine === 'cuda')) {
    findings.push({
      path: ['deterministic'],
      message: `the engine ${options.engine} cannot promise equal bits`,
      hint: 'Set engine: tensorflow or native, or leave out deterministic.',
    });
  }
  const idle = [
    ['loraAlpha', options.loraAlpha !== null],
    ['loraTargets', options.loraTargets.length > 0],
    ['loraRankStabilized', options.loraRankStabilized],
    ['loraDora', options.loraDora],
  ] as const;
  if (options.loraRank !== null) return findings;
  for (const [path, isSet] of idle) {
    if (isSet)
      findings.push({
        path: [path],
        message: `${path} has no effect without loraRank`,
        hint: 'Set loraRank, for example to 16.',
      });
  }
  return findings;
}
