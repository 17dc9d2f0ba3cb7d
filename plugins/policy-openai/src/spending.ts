import type { Options } from './options.js';

/** Numbers of a usage. `unknown` counts answers whose server told no usage: they are in no other number but `requests`. */
export interface Usage {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly unknown: number;
  /** In the unit of the prices. Absent without prices. */
  readonly cost?: number;
}

/** Tokens of one answer; undefined: the server does not tell. */
export type TokensUsed = { readonly prompt: number; readonly completion: number } | undefined;

const MILLION = 1e6;

/** Adds up what the answers used, and says when a budget is spent. */
export class Spending {
  readonly #options: Options;
  #requests = 0;
  #prompt = 0;
  #completion = 0;
  #unknown = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  add(used: TokensUsed): void {
    this.#requests += 1;
    this.#prompt += used?.prompt ?? 0;
    this.#completion += used?.completion ?? 0;
    if (used === undefined) this.#unknown += 1;
  }

  get usage(): Usage {
    const { inputPrice, outputPrice } = this.#options;
    const cost = (this.#prompt * (inputPrice ?? 0) + this.#completion * (outputPrice ?? 0)) / MILLION;
    return {
      requests: this.#requests,
      promptTokens: this.#prompt,
      completionTokens: this.#completion,
      unknown: this.#unknown,
      ...((inputPrice !== null || outputPrice !== null) && { cost }),
    };
  }

  /** Why no request may be sent any more; undefined while one may. */
  get spent(): string | undefined {
    const { maxCost, maxTotalTokens } = this.#options;
    const { completionTokens, cost = 0, promptTokens, unknown } = this.usage;
    const tokens = promptTokens + completionTokens;
    if (maxCost !== null && cost >= maxCost) return `the budget is spent: ${cost.toFixed(4)} of maxCost ${maxCost}`;
    if (maxTotalTokens !== null && tokens >= maxTotalTokens) {
      return `the budget is spent: ${tokens} of maxTotalTokens ${maxTotalTokens}`;
    }
    if ((maxCost !== null || maxTotalTokens !== null) && unknown > 0) {
      return 'the server does not report how many tokens an answer used, so a budget cannot be kept';
    }
    return undefined;
  }
}
