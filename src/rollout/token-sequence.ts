// Only this file and the worked examples put token ids of an episode together. Rollouts and demonstrations both use them,
// so they have the same layout. Ids are only appended.
import type { ConversationEncoder } from '../contracts/policy.js';
import type { TokenRecord } from '../contracts/trajectory.js';
import { encodeObservation, type WorkedExamples } from './worked-examples.js';

/** An episode as one growing sequence of ids. */
export class TokenSequence {
  readonly #encoder: ConversationEncoder;
  readonly #tokens: number[];
  readonly #mask: (0 | 1)[];
  readonly #logprobs: number[];
  /** Role of the message with the first observation. */
  readonly firstRole: 'tool' | 'user';

  /** @param examples games before the first observation; absent: none */
  constructor(encoder: ConversationEncoder, system: string, observation: string, examples?: WorkedExamples) {
    this.#encoder = encoder;
    if (examples === undefined) {
      this.#tokens = [...encoder.begin(system, observation)];
      this.firstRole = 'user';
    } else {
      const first = encodeObservation(encoder, examples.before(observation), examples.endWithCall);
      this.#tokens = [...examples.begin(encoder, system), ...first.ids];
      this.firstRole = first.role;
    }
    this.#mask = this.#tokens.map(() => 0);
    this.#logprobs = this.#tokens.map(() => 0);
  }

  get tokens(): readonly number[] {
    return this.#tokens;
  }

  /**
   * Appends an action. If it did not end by itself, an end token with mask 0 follows, which was not sampled.
   *
   * @returns the half-open range of the sampled tokens
   */
  addAction(tokens: readonly number[], logprobs: readonly number[], ended: boolean): readonly [number, number] {
    const start = this.#tokens.length;
    for (const [index, token] of tokens.entries()) this.#push(token, 1, logprobs[index] ?? 0);
    const end = this.#tokens.length;
    if (!ended) this.#push(this.#encoder.endIds[0] as number, 0, 0);
    return [start, end];
  }

  /** Appends an action from which nothing is learned, with its end token. */
  addContext(tokens: readonly number[]): void {
    for (const token of tokens) this.#push(token, 0, 0);
  }

  /**
   * Appends the observation after an action, cut to a total of `longest` ids.
   *
   * @param isAnswer the action was a function call
   * @returns the role of the observation's message
   */
  addObservation(observation: string, longest: number, isAnswer = false): 'tool' | 'user' {
    const { ids, role } = encodeObservation(this.#encoder, observation, isAnswer);
    for (const id of ids.slice(0, Math.max(0, longest - this.#tokens.length))) this.#push(id, 0, 0);
    return role;
  }

  /** Whether an action of `actionTokens` ids and an end token still fit into `longest` ids. */
  hasRoom(actionTokens: number, longest: number): boolean {
    return this.#tokens.length + actionTokens + 1 <= longest;
  }

  record(): TokenRecord {
    return { tokens: this.#tokens, mask: this.#mask, logprobs: this.#logprobs };
  }

  #push(token: number, mask: 0 | 1, logprob: number): void {
    this.#tokens.push(token);
    this.#mask.push(mask);
    this.#logprobs.push(logprob);
  }
}
