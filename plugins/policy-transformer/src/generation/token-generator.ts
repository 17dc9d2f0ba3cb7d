import type { GeneratedTokens, GenerateRequest, Sampling } from '@agentgym/cli';

import type { DecoderConfig } from '../model/decoder-config.js';

/** Parameters by the names of a Hugging Face checkpoint. */
export type ModelWeights = ReadonlyMap<string, Float32Array>;

/** A request of which somebody knows more. */
export interface KnownRequest extends GenerateRequest {
  /**
   * Tokens, from the first on, that stand as they stood when a request of this name was last answered, so that they
   * need not be compared; absent: 0.
   */
  readonly unchanged?: number;
}

/**
 * Continues token sequences and caches its results by their names. Each answer has the same bits for any other
 * requests.
 */
export interface TokenGenerator {
  /** Sets the weights for later requests, which must not change while they are in use, and forgets every sequence. */
  useWeights(parameters: ModelWeights): Promise<void>;
  generate(requests: readonly KnownRequest[], sampling: Sampling, signal?: AbortSignal): Promise<GeneratedTokens[]>;
  /** Forgets sequences. */
  release(names: readonly string[]): void;
  dispose(): Promise<void>;
}

/** Throws where a request is none that this model can continue. */
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

/** A request under way, as far as sampled tokens concern it. */
export interface Continuation {
  readonly request: GenerateRequest;
  /** What the model was fed of its sequence. */
  readonly sequence: { readonly tokens: readonly number[] };
  /** Tokens still to be fed. */
  pending: number[];
  readonly tokens: number[];
  readonly logprobs: number[];
  ended: boolean;
  finished: boolean;
}

/** Adds a sampled token; the request continues unless it ends here. */
export function acceptToken(to: Continuation, token: number, logprob: number, maxPositions: number): void {
  to.tokens.push(token);
  to.logprobs.push(logprob);
  to.ended = to.request.endIds.includes(token);
  const full = to.sequence.tokens.length >= maxPositions;
  to.finished = to.ended || full || to.tokens.length >= to.request.maxTokens;
  to.pending = to.finished ? [] : [token];
}

/**
 * The number of cached tokens of a sequence that the request can skip: all if the request continues them, else none.
 */
export function knownTokens(fed: readonly number[], { tokens, unchanged = 0 }: KnownRequest): number {
  if (fed.length >= tokens.length) return 0;
  for (let index = unchanged; index < fed.length; index += 1) if (fed[index] !== tokens[index]) return 0;
  return fed.length;
}

/** The second of two requests of one name cannot be remembered: it goes without. */
export function uniqueNames(requests: readonly GenerateRequest[]): (string | undefined)[] {
  const taken = new Set<string>();
  return requests.map(({ sequence }) => {
    if (taken.has(sequence)) return undefined;
    taken.add(sequence);
    return sequence;
  });
}
