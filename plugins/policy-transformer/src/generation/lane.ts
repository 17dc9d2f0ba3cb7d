import type { Sampling } from '@agentgym/cli';

import type { CachedSequence } from './key-value-cache.js';
import type { Choice } from './sampling-graph.js';
import { knownTokens, type Continuation, type KnownRequest } from './token-generator.js';

/** Most new tokens of a row that go through the graph at a time. */
const LONGEST_PIECE = 256;

/** A request in progress. It is one row of the runs. */
export interface Lane extends Continuation {
  readonly sequence: CachedSequence;
  /** Sizes of the pieces in which the pending tokens are fed. */
  pieces: number[];
  /** A lane that begins with the same pieces. This lane waits until it has fed them. */
  leader: Lane | undefined;
  /** Number of pieces that it waits for: all of the prompt except the last token, or some long ones. */
  awaited: number;
  readonly sampling: Sampling;
  readonly choice: Choice;
}

/**
 * A lane for a request on a known sequence. Cached tokens are reused if the request starts with them. If the sequence
 * lost its slot, its tokens are fed again in the same pieces, so that every number is the same. The pieces of a
 * sequence depend only on its requests. The first request is fed as all tokens except the last, then the last, so
 * that lanes with the same prompt can share all but one step.
 */
export function createLane(
  request: KnownRequest,
  sequence: CachedSequence,
  { sampling, choice }: Pick<Lane, 'choice' | 'sampling'>,
): Lane {
  const known = knownTokens(sequence.tokens, request);
  const continues = known > 0 || sequence.tokens.length === 0;
  const again = continues && sequence.slot < 0;
  const fresh = request.tokens.length - known;
  const pieces = known === 0 ? [...split(fresh - 1), 1] : [...(again ? sequence.pieces : []), ...split(fresh)];
  if (!continues || again) {
    sequence.tokens.length = 0;
    sequence.pieces.length = 0;
  }
  const pending = request.tokens.slice(sequence.tokens.length);
  return {
    request,
    sequence,
    pending,
    pieces,
    leader: undefined,
    awaited: 0,
    sampling,
    choice,
    tokens: [],
    logprobs: [],
    ended: false,
    finished: request.maxTokens === 0,
  };
}

function split(count: number): number[] {
  const pieces = Array<number>(Math.floor(count / LONGEST_PIECE)).fill(LONGEST_PIECE);
  return count % LONGEST_PIECE === 0 ? pieces : [...pieces, count % LONGEST_PIECE];
}

/**
 * Lanes that begin with the same prompt wait for the first of them. So do lanes whose prompts begin alike, as with
 * worked examples, for the longest pieces that they have in common: pieces of another size would have other bits.
 */
export function sharePrompts(lanes: readonly Lane[]): void {
  const leaders = new Map<string, Lane>();
  const beginnings: Beginning = { next: new Map() };
  for (const lane of lanes) {
    const plain = lane.pieces.every((piece, index) => (index === lane.pieces.length - 1 ? piece === 1 : piece > 1));
    if (lane.finished || lane.sequence.tokens.length > 0 || lane.pieces.length < 2 || !plain) continue;
    const key = `${lane.pieces.join()}|${lane.pending.join()}`;
    const leader = leaders.get(key);
    if (leader) wait(lane, leader, lane.pieces.length - 1);
    else {
      leaders.set(key, lane);
      shareBeginning(lane, beginnings);
    }
  }
}

/** The first lane with some long pieces, and those that go on with another long piece, by its tokens. */
interface Beginning {
  readonly lane?: Lane;
  readonly next: Map<string, Beginning>;
}

function shareBeginning(lane: Lane, beginnings: Beginning): void {
  const count = lane.pieces.filter((piece) => piece === LONGEST_PIECE).length;
  let known = beginnings;
  for (let piece = 0; piece < count; piece += 1) {
    const tokens = lane.pending.slice(piece * LONGEST_PIECE, (piece + 1) * LONGEST_PIECE).join();
    const longer = known.next.get(tokens);
    if (longer?.lane) wait(lane, longer.lane, piece + 1);
    const made = longer ?? { lane, next: new Map<string, Beginning>() };
    known.next.set(tokens, made);
    known = made;
  }
}

function wait(lane: Lane, leader: Lane, pieces: number): void {
  lane.leader = leader;
  lane.awaited = pieces;
}
