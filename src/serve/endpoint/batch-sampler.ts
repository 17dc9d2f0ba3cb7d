import type { GenerateRequest, Sampling, SamplingModel } from '../../contracts/policy.js';
import type { Random } from '../../contracts/random.js';
import { uniformDraws } from '../../rollout/uniform-draws.js';
import { chooseFairly } from './choose-fairly.js';

/** A text to write. */
export interface TextRequest extends Omit<GenerateRequest, 'draws' | 'sequence'> {
  /** Names the sequence, which the model forgets if the text is not written to its end. */
  readonly sequence: string;
  readonly sampling: Sampling;
  /** The numbers that choose the tokens, from the first one. It may be asked again. */
  readonly draws: () => Random;
  /** Who asks. Clients share the model. */
  readonly client: unknown;
  /** Ends the text when it is aborted. */
  readonly signal: AbortSignal;
  /**
   * Receives the tokens as they come. Returns false to end the text here. The text rests while the returned promise is open:
   * its reader has not taken what there is.
   */
  readonly take?: (tokens: readonly number[], logprobs: readonly number[]) => boolean | Promise<boolean>;
}

/** A written text. */
export interface SampledText {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  /** An end token was sampled; it is the last token. */
  readonly ended: boolean;
}

interface Running {
  readonly client: unknown;
  readonly request: TextRequest;
  readonly resolve: (text: SampledText) => void;
  readonly reject: (error: unknown) => void;
  tokens: number[];
  logprobs: number[];
  draws: Random;
  /** Drawn numbers that chose no token. */
  unused: Float64Array;
  /** Tokens that were taken. A text that is played again is shown from there on. */
  taken: number;
  /** The halves of failed calls that it was in: texts with the same ones share calls. */
  apart: string;
  isResting: boolean;
  /** The round in which it went on last. */
  round: number;
}

/** Tokens of a round. Requests that came meanwhile join at the next one. */
const ROUND = 16;

/** Texts that are written at the same time; others wait. */
const MOST_AT_ONCE = 256;

/**
 * Writes many texts at a time with one model (continuous batching): all of them go on by some tokens, then those that came meanwhile
 * join, and finished ones leave. The draws of a request choose its tokens, so a text does not depend on the others. If a call
 * fails, its texts are played again from their beginning in two halves, and these again, until only the text fails that is the
 * cause.
 */
export class BatchSampler {
  readonly #model: SamplingModel;
  /** In the order in which they came. */
  readonly #texts = new Set<Running>();
  #isBusy = false;
  #round = 0;

  constructor(model: SamplingModel) {
    this.#model = model;
  }

  /** Texts that are being written, wait or rest. */
  get open(): number {
    return this.#texts.size;
  }

  /** Rejects at once with the reason of the signal if it is aborted, or with the error of the model. */
  write(request: TextRequest): Promise<SampledText> {
    return new Promise((resolve, reject) => {
      const { client, draws, signal } = request;
      if (signal.aborted) return reject(signal.reason as Error);
      const own = { tokens: [], logprobs: [], draws: draws(), unused: new Float64Array(0), taken: 0, apart: '' };
      this.#texts.add({ ...{ client, request, resolve, reject }, ...own, isResting: false, round: 0 });
      const end = (): void => {
        reject(signal.reason as Error);
        this.#wake();
      };
      signal.addEventListener('abort', end, { once: true });
      this.#wake();
    });
  }

  #wake(): void {
    if (!this.#isBusy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    // Requests that arrive together begin together.
    await new Promise(setImmediate);
    for (let chosen = this.#choose(); chosen.length > 0; chosen = this.#choose()) {
      this.#round += 1;
      for (const group of this.#groups(chosen)) await this.#goOn(group);
      await new Promise(setImmediate);
    }
    this.#isBusy = false;
  }

  /** The texts of the next round. Those whose clients are gone leave. */
  #choose(): Running[] {
    for (const running of this.#texts) {
      if (running.request.signal.aborted) this.#fail(running, running.request.signal.reason);
    }
    return chooseFairly(
      [...this.#texts].filter(({ isResting }) => !isResting),
      MOST_AT_ONCE,
    );
  }

  /**
   * The calls of a round, each with the texts that can share it. A client has one of them, in turn, so that one with many does
   * not slow the others.
   */
  #groups(chosen: readonly Running[]): Iterable<readonly Running[]> {
    const groups = new Map<string, Running[]>();
    for (const running of chosen) {
      const { apart, request } = running;
      const key = JSON.stringify([this.#isMixed ? request.sampling.exact : request.sampling, apart]);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [running]);
      else group.push(running);
    }
    const ofClients = new Map<unknown, { readonly round: number; readonly group: readonly Running[] }>();
    for (const group of groups.values()) {
      for (const { client, round } of group) {
        if (round < (ofClients.get(client)?.round ?? Infinity)) ofClients.set(client, { round, group });
      }
    }
    return new Set([...ofClients.values()].map(({ group }) => group));
  }

  /** Whether texts that are sampled in different ways share calls. */
  get #isMixed(): boolean {
    return this.#model.capabilities.sampler.mixed === true;
  }

  /** Continues texts in one call. */
  async #goOn(group: readonly Running[]): Promise<void> {
    const isMixed = this.#isMixed;
    const parts = group.map((running): GenerateRequest => {
      const { endIds, maxTokens, sampling, sequence, tokens } = running.request;
      running.round = this.#round;
      const count = Math.min(ROUND, maxTokens - running.tokens.length);
      const draws = new Float64Array(count);
      draws.set(running.unused);
      draws.set(uniformDraws(running.draws, count - running.unused.length), running.unused.length);
      const all = [...tokens, ...running.tokens];
      return { tokens: all, sequence, endIds, maxTokens: count, draws, ...(isMixed && { sampling }) };
    });
    try {
      const answers = await this.#model.generate(parts, group[0]!.request.sampling);
      for (const [index, { tokens, logprobs, ended }] of answers.entries()) {
        const running = group[index]!;
        running.unused = parts[index]!.draws.subarray(tokens.length);
        running.tokens.push(...tokens);
        running.logprobs.push(...logprobs);
        this.#show(running, ended || running.tokens.length >= running.request.maxTokens, ended);
      }
    } catch (error) {
      if (group.length === 1) return this.#fail(group[0]!, error);
      const half = Math.ceil(group.length / 2);
      group.forEach((running, index) => this.#restart(running, index < half ? '0' : '1'));
    }
  }

  /** Gives new tokens to the reader. A mistake there ends this text only. */
  #show(running: Running, isWhole: boolean, ended: boolean): void {
    const { logprobs, request, taken, tokens } = running;
    if (request.signal.aborted) return;
    running.taken = Math.max(taken, tokens.length);
    const finish = (goesOn: boolean): void => {
      if (!isWhole && goesOn) return;
      this.#texts.delete(running);
      running.resolve({ tokens, logprobs, ended });
    };
    try {
      const goesOn =
        taken >= tokens.length ? true : (request.take?.(tokens.slice(taken), logprobs.slice(taken)) ?? true);
      if (typeof goesOn === 'boolean') return finish(goesOn);
      running.isResting = true;
      void goesOn
        .then(finish, (error: unknown) => this.#fail(running, error))
        .finally(() => {
          running.isResting = false;
          this.#wake();
        });
    } catch (error) {
      this.#fail(running, error);
    }
  }

  /** Begins again, so that the numbers are those of a text that was written alone, and not of a half-answered call. */
  #restart(running: Running, half: string): void {
    this.#model.release([running.request.sequence]);
    running.tokens = [];
    running.logprobs = [];
    running.draws = running.request.draws();
    running.unused = new Float64Array(0);
    running.apart += half;
  }

  #fail(running: Running, error: unknown): void {
    if (!this.#texts.delete(running)) return;
    this.#model.release([running.request.sequence]);
    running.reject(error);
  }
}
