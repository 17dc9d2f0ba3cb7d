import type { GeneratedTokens, GenerateRequest, Sampling } from '@agentgym/cli';

import type { State } from '../executors/state.js';
import type { DecoderConfig } from '../model/decoder-config.js';

/** The weights of a model, by the names of a Hugging Face checkpoint. */
export interface ModelWeights {
  readonly trainable: State;
  /** What an adapter leaves as it is. */
  readonly frozen?: State | undefined;
}

/** Weights, and what a runner has computed of them. */
export interface PreparedWeights extends ModelWeights {
  readonly derived: readonly State[];
}

/** The state that holds all weights. */
export function statesOf({ trainable, frozen }: ModelWeights): State[] {
  return frozen ? [trainable, frozen] : [trainable];
}

/** A request with information about its unchanged tokens. */
export interface KnownRequest extends GenerateRequest {
  /**
   * How many of the first tokens are unchanged since the last answered request of this name. They need not be compared.
   * Default: 0.
   */
  readonly unchanged?: number;
}

/**
 * Continues token sequences and caches its results by their names. The bits of an answer do not depend on other
 * requests.
 */
export interface TokenGenerator {
  /**
   * Sets the weights for later requests and forgets every sequence. Call it again after the trainable ones changed.
   */
  useWeights(weights: ModelWeights): Promise<void>;
  generate(requests: readonly KnownRequest[], sampling: Sampling, signal?: AbortSignal): Promise<GeneratedTokens[]>;
  /** Forgets sequences. */
  release(names: readonly string[]): void;
  dispose(): Promise<void>;
}

/** Throws if this model cannot continue the request. */
export function checkRequest({ maxPositions, vocabularySize }: DecoderConfig, request: KnownRequest): void {
  const { tokens, sequence, unchanged = 0 } = request;
  if (tokens.length === 0) throw new Error(`the request to continue ${sequence} has no tokens`);
  if (tokens.length > maxPositions) {
    throw new Error(`${sequence} has ${tokens.length} tokens, more than the ${maxPositions} that the model can hold`);
  }
  for (let index = unchanged; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (Number.isInteger(token) && token >= 0 && token < vocabularySize) continue;
    throw new Error(`${sequence} contains ${token}, which is not a token of this model`);
  }
}

export function brokenWeights(logprob: number): Error {
  return new Error(`the model returns ${logprob} as log probability: its weights are no longer finite`);
}

/** The state of a request in progress that sampled tokens change. */
export interface Continuation {
  readonly request: GenerateRequest;
  /** Tokens still to be fed. */
  pending: number[];
  readonly tokens: number[];
  readonly logprobs: number[];
  ended: boolean;
  finished: boolean;
}

/**
 * Adds a sampled token; the request continues unless it ends here.
 * @param full whether the model can be fed no more tokens
 */
export function acceptToken(to: Continuation, token: number, logprob: number, full: boolean): void {
  to.tokens.push(token);
  to.logprobs.push(logprob);
  to.ended = to.request.endIds.includes(token);
  to.finished = to.ended || full || to.tokens.length >= to.request.maxTokens;
  to.pending = to.finished ? [] : [token];
}

/**
 * The number of cached tokens of a sequence that the request can skip: all if the request continues them, else 0.
 */
export function knownTokens(fed: readonly number[], { tokens, unchanged = 0 }: KnownRequest): number {
  if (fed.length >= tokens.length) return 0;
  for (let index = unchanged; index < fed.length; index += 1) if (fed[index] !== tokens[index]) return 0;
  return fed.length;
}

/** Names of the requests. A repeated name is undefined, because only the first request of a name can be remembered. */
export function uniqueNames(requests: readonly GenerateRequest[]): (string | undefined)[] {
  const taken = new Set<string>();
  return requests.map(({ sequence }) => {
    if (taken.has(sequence)) return undefined;
    taken.add(sequence);
    return sequence;
  });
}
