import type { GenerateRequest, PolicyModel, Sampling } from '../../contracts/policy.js';

/** A text to write. */
export interface TextRequest extends GenerateRequest {
  readonly sampling: Sampling;
  /** Ends the text when it is aborted. */
  readonly signal: AbortSignal;
  /** Receives the tokens as they come. Returns false to end the text here. */
  readonly take?: (tokens: readonly number[], logprobs: readonly number[]) => boolean;
}

/** A written text. */
export interface SampledText {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  /** An end token was sampled; it is the last token. */
  readonly ended: boolean;
}

interface Running {
  readonly request: TextRequest;
  readonly tokens: number[];
  readonly logprobs: number[];
  readonly resolve: (text: SampledText) => void;
  readonly reject: (error: unknown) => void;
}

/** Tokens of a round. Requests that came meanwhile join at the next one. */
const ROUND = 16;

/** Texts that are written at the same time; others wait. */
const MOST_AT_ONCE = 256;

/**
 * Writes many texts at a time with one model (continuous batching): all of them go on by some tokens, then those that came meanwhile
 * join, and finished ones leave. The draws of a request choose its tokens, so a text does not depend on the others.
 */
export class BatchSampler {
  readonly #model: PolicyModel;
  readonly #waiting: Running[] = [];
  #running: Running[] = [];
  #isBusy = false;

  constructor(model: PolicyModel) {
    this.#model = model;
  }

  /** Texts that are being written or wait. */
  get open(): number {
    return this.#running.length + this.#waiting.length;
  }

  /** Rejects with the reason of the signal if it is aborted, or with the error of the model. */
  write(request: TextRequest): Promise<SampledText> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, tokens: [], logprobs: [], resolve, reject });
      if (!this.#isBusy) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    // Requests that arrive together begin together.
    await new Promise(setImmediate);
    while (this.open > 0) {
      this.#running.push(...this.#waiting.splice(0, MOST_AT_ONCE - this.#running.length));
      const gone = new Set(this.#running.filter(({ request }) => request.signal.aborted));
      for (const { reject, request } of gone) reject(request.signal.reason);
      this.#remove(gone);
      const groups = new Map<string, Running[]>();
      for (const running of this.#running) {
        const key = JSON.stringify(running.request.sampling);
        groups.set(key, [...(groups.get(key) ?? []), running]);
      }
      for (const group of groups.values()) await this.#goOn(group);
      await new Promise(setImmediate);
    }
    this.#isBusy = false;
  }

  /** Continues texts that are sampled in the same way. */
  async #goOn(group: readonly Running[]): Promise<void> {
    const parts = group.map(({ request, tokens }): GenerateRequest => {
      const { draws, endIds, maxTokens, sequence } = request;
      const from = tokens.length;
      const count = Math.min(ROUND, maxTokens - from);
      const part = draws.subarray(from, from + count);
      return { tokens: [...request.tokens, ...tokens], sequence, endIds, maxTokens: count, draws: part };
    });
    const done = new Set<Running>();
    try {
      const answers = await this.#model.generate(parts, group[0]!.request.sampling);
      for (const [index, { tokens, logprobs, ended }] of answers.entries()) {
        const running = group[index]!;
        running.tokens.push(...tokens);
        running.logprobs.push(...logprobs);
        const goesOn = running.request.take?.(tokens, logprobs) ?? true;
        if (!ended && goesOn && running.tokens.length < running.request.maxTokens) continue;
        done.add(running);
        running.resolve({ tokens: running.tokens, logprobs: running.logprobs, ended });
      }
    } catch (error) {
      for (const running of group) {
        done.add(running);
        running.reject(error);
      }
    }
    this.#remove(done);
  }

  #remove(ended: ReadonlySet<Running>): void {
    this.#running = this.#running.filter((running) => !ended.has(running));
  }
}
