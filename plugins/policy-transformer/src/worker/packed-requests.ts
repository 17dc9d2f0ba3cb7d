/** Requests and answers in a few arrays: many small objects are slow to bring to another thread. */
import type { GeneratedTokens, GenerateRequest } from '@agentgym/cli';

export interface PackedRequests {
  readonly sequences: readonly string[];
  /** Of each request: its tokens, end ids and draws, and how many tokens it may get. */
  readonly counts: Int32Array;
  readonly tokens: Int32Array;
  readonly endIds: Int32Array;
  readonly draws: Float64Array;
  /** Sequences that nobody will come back to. */
  readonly released: readonly string[];
}

export interface PackedAnswers {
  /** Of each answer: its tokens, and whether it ended by itself (0 or 1). */
  readonly counts: Int32Array;
  readonly tokens: Int32Array;
  readonly logprobs: Float64Array;
}

export function packRequests(requests: readonly GenerateRequest[], released: readonly string[] = []): PackedRequests {
  return {
    released,
    sequences: requests.map(({ sequence }) => sequence),
    counts: Int32Array.from(
      requests.flatMap(({ tokens, endIds, draws, maxTokens }) => [
        tokens.length,
        endIds.length,
        draws.length,
        maxTokens,
      ]),
    ),
    tokens: joined(
      Int32Array,
      requests.map(({ tokens }) => tokens),
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

export function unpackRequests({ sequences, counts, tokens, endIds, draws }: PackedRequests): GenerateRequest[] {
  let [token, end, draw] = [0, 0, 0];
  return sequences.map((sequence, index) => {
    const at = 4 * index;
    return {
      sequence,
      tokens: Array.from(tokens.subarray(token, (token += counts[at]!))),
      endIds: Array.from(endIds.subarray(end, (end += counts[at + 1]!))),
      draws: draws.subarray(draw, (draw += counts[at + 2]!)),
      maxTokens: counts[at + 3]!,
    };
  });
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
      tokens: Array.from(tokens.subarray(start, end)),
      logprobs: Array.from(logprobs.subarray(start, end)),
      ended: counts[2 * index + 1] === 1,
    };
    start = end;
    return answer;
  });
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
