import type { Sampling } from '@agentgym/cli';

import { commonPrefix } from '../model/prefix-order.js';
import type { CachedSequence } from './key-value-cache.js';
import type { Choice } from './sampling-graph.js';
import type { Continuation, KnownRequest } from './token-generator.js';

/** Most new tokens of a row that go through the graph at a time. */
export const LONGEST_PIECE = 256;

/** Least tokens of a first message that is a piece of its own: a run reads all weights, and takes as long as so many tokens. */
const SHORTEST_MESSAGE = 32;

/** A request in progress. It is one row of the runs. */
export interface Lane extends Continuation {
  readonly sequence: CachedSequence;
  /** Sizes of the pieces in which the pending tokens are fed. */
  pieces: number[];
  /** A lane that begins with the same pieces. This lane waits until it has fed them. */
  leader: Lane | undefined;
  /** Number of pieces that it waits for. */
  awaited: number;
  readonly sampling: Sampling;
  readonly choice: Choice;
}

/**
 * A lane for a request on a known sequence. Cached pieces are reused if the request starts with them: after an answer that the
 * conversation has in another form, all before it. If the sequence lost its slot, its tokens are fed again in the same
 * pieces, so that every number is the same. The pieces of a sequence depend only on its requests. The first request is fed as
 * its first message, which other conversations may share, then all tokens except the last, then the last, so that lanes
 * with the same prompt can share all but one step.
 */
export function createLane(
  request: KnownRequest,
  sequence: CachedSequence,
  { sampling, choice }: Pick<Lane, 'choice' | 'sampling'>,
): Lane {
  forgetOthers(sequence, request);
  const known = sequence.tokens.length;
  const fresh = request.tokens.length - known;
  const again = sequence.slot < 0;
  const pieces = known === 0 ? beginning(request) : [...(again ? sequence.pieces : []), ...split(fresh)];
  if (again) {
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

/** Leaves the pieces with which the request starts, but not its last token: it must be fed to be continued. */
function forgetOthers({ tokens, pieces }: CachedSequence, request: KnownRequest): void {
  const common = Math.min(commonPrefix(tokens, request.tokens, request.unchanged), request.tokens.length - 1);
  let [kept, length] = [0, 0];
  while (kept < pieces.length && length + pieces[kept]! <= common) {
    length += pieces[kept]!;
    kept += 1;
  }
  tokens.length = length;
  pieces.length = kept;
}

/** The pieces of a first request. */
function beginning({ tokens, endIds }: KnownRequest): number[] {
  const message = tokens.findIndex((token) => endIds.includes(token)) + 1;
  const rest = tokens.length - 1 - message;
  const apart = message >= SHORTEST_MESSAGE && rest > 1;
  return apart ? [...split(message), ...split(rest), 1] : [...split(tokens.length - 1), 1];
}

function split(count: number): number[] {
  const pieces = Array<number>(Math.floor(count / LONGEST_PIECE)).fill(LONGEST_PIECE);
  return count % LONGEST_PIECE === 0 ? pieces : [...pieces, count % LONGEST_PIECE];
}

/** Lanes whose prompts begin with the same pieces wait for the first of them. Pieces of another size would have other bits. */
export function sharePrompts(lanes: readonly Lane[]): void {
  const beginnings: Beginning = { next: new Map() };
  for (const lane of lanes) {
    const plain = lane.pieces.every((piece, index) => (index === lane.pieces.length - 1 ? piece === 1 : piece > 1));
    if (!lane.finished && lane.sequence.tokens.length === 0 && lane.pieces.length > 1 && plain) share(lane, beginnings);
  }
}

/** The first lane with some pieces, and those that go on with another piece, by its tokens. */
interface Beginning {
  readonly lane?: Lane;
  readonly next: Map<string, Beginning>;
}

function share(lane: Lane, beginnings: Beginning): void {
  let [known, start] = [beginnings, 0];
  for (const [index, piece] of lane.pieces.slice(0, -1).entries()) {
    const tokens = lane.pending.slice(start, (start += piece)).join();
    const longer = known.next.get(tokens);
    if (longer?.lane) {
      lane.leader = longer.lane;
      lane.awaited = index + 1;
    }
    const made = longer ?? { lane, next: new Map<string, Beginning>() };
    known.next.set(tokens, made);
    known = made;
  }
}
