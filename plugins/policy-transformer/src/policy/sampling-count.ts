import type { GeneratedTokens, GenerateRequest } from '@agentgym/cli';

import type { DecoderConfig } from '../model/decoder-config.js';
import { operationCounter } from '../model/operation-count.js';
import type { ParameterOptions } from '../model/parameters.js';

/**
 * Operations of sampling as a function of requests and answers only: every token of a sequence counts once, even if it
 * was shared with other sequences, released early or cut into pieces.
 */
export class SamplingCount {
  readonly #count: ReturnType<typeof operationCounter>;
  /** Number of tokens of each sequence that were fed. */
  readonly #fed = new Map<string, number>();

  /** @param parts of which the value head is not used in sampling */
  constructor(config: DecoderConfig, { adapter }: ParameterOptions) {
    this.#count = operationCounter(config, { valueHead: false, adapter });
  }

  /** Operations of answering a request. The last token of an answer is fed by the request that follows it. */
  operations({ sequence, tokens }: GenerateRequest, { tokens: sampled }: GeneratedTokens): number {
    const known = this.#fed.get(sequence) ?? 0;
    // With too few tokens, the request starts a new sequence under an old name.
    const from = known < tokens.length ? known : 0;
    this.#fed.set(sequence, tokens.length + sampled.length - 1);
    let operations = this.#passage(from, tokens.length - from);
    for (let index = 0; index < sampled.length - 1; index += 1) operations += this.#passage(tokens.length + index, 1);
    return operations;
  }

  release(sequence: string): void {
    this.#fed.delete(sequence);
  }

  #passage(from: number, tokens: number): number {
    return this.#count({ from, tokens, asked: [from + tokens - 1] });
  }
}
