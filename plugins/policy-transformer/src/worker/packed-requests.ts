/**
 * Requests and answers in a few arrays, because sending many small objects to another thread is slow. For a known
 * sequence only the new tokens are sent.
 */
import type { GeneratedTokens, GenerateRequest, Sampling } from '@agentgym/cli';

import type { KnownRequest } from '../generation/token-generator.js';
import type { TokenHistories } from './token-histories.js';

export interface PackedRequests {
  /** The number of the adapter that answers. Absent: the model itself. */
  readonly adapter?: number;
  readonly sequences: readonly string[];
  /**
   * For each request, the numbers of tokens that the other side keeps, of further tokens, of end ids and of draws, and
   * the maximum number of new tokens.
   */
  readonly counts: Int32Array;
  /** The further tokens. */
  readonly tokens: Int32Array;
  readonly endIds: Int32Array;
  readonly draws: Float64Array;
  /** For each request, temperature, topP and topK, or NaN if they are those of the call. Absent: all are. */
  readonly samplings?: Float64Array;
  /** Sequences that no later request continues. */
  readonly released: readonly string[];
}

export interface PackedAnswers {
  /** For each answer, the number of tokens, and whether it ended by itself (0 or 1). */
  readonly counts: Int32Array;
  readonly tokens: Int32Array;
  readonly logprobs: Float64Array;
}

/** @param histories the sequences known to the other side; updated with these requests */
export function packRequests(
  requests: readonly GenerateRequest[],
  histories: TokenHistories,
  released: readonly string[] = [],
): PackedRequests {
  const sequences = requests.map(({ sequence }) => sequence);
  const repeated = repeatedNames(sequences);
  histories.forget(released);
  histories.forget(repeated);
  const sent = requests.map(({ sequence, tokens }) => {
    if (repeated.has(sequence)) return { kept: 0, fresh: tokens };
    const kept = histories.common(sequence, tokens);
    const fresh = tokens.slice(kept);
    histories.continue(sequence, kept, fresh);
    return { kept, fresh };
  });
  const isMixed = requests.some(({ sampling }) => sampling !== undefined);
  return {
    released,
    sequences,
    ...(isMixed && { samplings: packSamplings(requests) }),
    counts: Int32Array.from(
      requests.flatMap(({ endIds, draws, maxTokens }, index) => [
        sent[index]!.kept,
        sent[index]!.fresh.length,
        endIds.length,
        draws.length,
        maxTokens,
      ]),
    ),
    tokens: joined(
      Int32Array,
      sent.map(({ fresh }) => fresh),
    ),
    endIds: joined(
      Int32Array,
      requests.map(({ endIds }) => endIds),
    ),
    draws: joined(
      Float64Array,
      requests.map(({ draws }) => draws),
    ),
  };
}

/**
 * @param histories the sequences known on this side; updated with these requests. The requests are valid until their
 * sequences continue.
 */
export function unpackRequests(packed: PackedRequests, histories: TokenHistories): KnownRequest[] {
  const { sequences, counts, tokens, endIds, draws, released, samplings } = packed;
  const repeated = repeatedNames(sequences);
  histories.forget(released);
  histories.forget(repeated);
  let [token, end, draw] = [0, 0, 0];
  return sequences.map((sequence, index) => {
    const at = 5 * index;
    const sampling = samplings && samplingAt(samplings, index);
    const fresh = tokens.subarray(token, (token += counts[at + 1]!));
    const history = repeated.has(sequence)
      ? { tokens: Array.from(fresh), settled: 0 }
      : histories.continue(sequence, counts[at]!, fresh);
    return {
      sequence,
      tokens: history.tokens,
      unchanged: history.settled,
      endIds: Array.from(endIds.subarray(end, (end += counts[at + 2]!))),
      draws: draws.subarray(draw, (draw += counts[at + 3]!)),
      maxTokens: counts[at + 4]!,
      ...(sampling && { sampling }),
    };
  });
}

const CALL = [NaN, NaN, NaN];

function packSamplings(requests: readonly GenerateRequest[]): Float64Array {
  return Float64Array.from(
    requests.flatMap(({ sampling }) => (sampling ? [sampling.temperature, sampling.topP, sampling.topK] : CALL)),
  );
}

/** Undefined if it is that of the call. */
function samplingAt(samplings: Float64Array, index: number): Sampling | undefined {
  const [temperature, topP, topK] = [0, 1, 2].map((part) => samplings[3 * index + part]!) as [number, number, number];
  return Number.isNaN(temperature) ? undefined : { temperature, topP, topK };
}

/**
 * For two requests with one name it is unclear which one a third continues. Both are sent whole, and neither is
 * remembered.
 */
function repeatedNames(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of names) (seen.has(name) ? repeated : seen).add(name);
  return repeated;
}

export function packAnswers(answers: readonly GeneratedTokens[]): PackedAnswers {
  return {
    counts: Int32Array.from(answers.flatMap(({ tokens, ended }) => [tokens.length, Number(ended)])),
    tokens: joined(
      Int32Array,
      answers.map(({ tokens }) => tokens),
    ),
    logprobs: joined(
      Float64Array,
      answers.map(({ logprobs }) => logprobs),
    ),
  };
}

export function unpackAnswers({ counts, tokens, logprobs }: PackedAnswers): GeneratedTokens[] {
  let start = 0;
  return Array.from({ length: counts.length / 2 }, (_, index) => {
    const end = start + counts[2 * index]!;
    const answer = {
      tokens: listOf(tokens, start, end),
      logprobs: listOf(logprobs, start, end),
      ended: counts[2 * index + 1] === 1,
    };
    start = end;
    return answer;
  });
}

/** Some numbers of an array. `Array.from` takes several times as long. */
function listOf(numbers: Int32Array | Float64Array, start: number, end: number): number[] {
  const list: number[] = [];
  for (let index = start; index < end; index += 1) list.push(numbers[index]!);
  return list;
}

function joined<Numbers extends Int32Array | Float64Array>(
  Type: new (length: number) => Numbers,
  parts: readonly ArrayLike<number>[],
): Numbers {
  const whole = new Type(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
