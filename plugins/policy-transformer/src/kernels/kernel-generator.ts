import { setImmediate } from 'node:timers/promises';

import type { GeneratedTokens, GenerateRequest, Sampling } from '@agentgym/cli';

import {
  acceptToken,
  brokenWeights,
  checkRequest,
  knownTokens,
  uniqueNames,
  type Continuation,
  type KnownRequest,
  type ModelWeights,
  type TokenGenerator,
} from '../generation/token-generator.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { KernelModel, PAGE, type Piece } from './kernel-model.js';
import { PagePool } from './page-pool.js';
import { chooseRanked } from './choose-ranked.js';

/** A cached sequence: its tokens, and the pages of its keys and values. */
interface Sequence {
  /** Undefined if no later request continues the sequence. */
  readonly name: string | undefined;
  tokens: number[];
  pages: number[];
  /** When it was last used, for eviction. */
  used: number;
}

interface Lane extends Continuation {
  readonly sequence: Sequence;
  /** A lane with the same prompt. This lane waits until that lane has been fed the prompt. */
  leader: Lane | undefined;
}

interface LanePiece extends Piece {
  readonly lane: Lane;
}

/** After this many milliseconds, other tasks of this thread run, for example to deliver an abort. */
const LONGEST_TURN = 20;

/** Generation with `KernelModel`. Each round feeds the pending tokens of every request and samples one token for it. */
export class KernelGenerator implements TokenGenerator {
  readonly #config: DecoderConfig;
  readonly #model: KernelModel;
  readonly #pool: PagePool;
  readonly #sequences = new Map<string, Sequence>();
  #clock = 0;

  /** @param cacheBytes size of the keys and values; beyond it, sequences are evicted and computed again */
  constructor(config: DecoderConfig, cacheBytes: number) {
    this.#config = config;
    this.#model = new KernelModel(config);
    this.#pool = new PagePool(this.#model.kernels, this.#model.pageBytes, cacheBytes);
  }

  /** The weights are copied. Kernels know no adapters. */
  async useWeights({ trainable }: ModelWeights): Promise<void> {
    this.#forget();
    const parameters = new Map<string, Float32Array>();
    for (const name of trainable.shapes.keys()) parameters.set(name, await trainable.read(name));
    this.#model.useWeights(parameters);
  }

  async generate(
    requests: readonly KnownRequest[],
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<GeneratedTokens[]> {
    this.#clock += 1;
    for (const request of requests) checkRequest(this.#config, request);
    const names = uniqueNames(requests);
    const answers: GeneratedTokens[] = [];
    for (const [start, end] of this.#waves(requests)) {
      const lanes = requests.slice(start, end).map((request, index) => this.#lane(request, names[start + index]));
      try {
        this.#makeRoom(lanes);
        await this.#finish(lanes, sampling, signal);
      } finally {
        for (const { sequence } of lanes) if (sequence.name === undefined) this.#vacate(sequence);
      }
      answers.push(...lanes.map(({ tokens, logprobs, ended }) => ({ tokens, logprobs, ended })));
    }
    return answers;
  }

  release(names: readonly string[]): void {
    for (const name of names) {
      const sequence = this.#sequences.get(name);
      if (sequence) this.#vacate(sequence);
      this.#sequences.delete(name);
    }
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }

  /** Splits requests into ranges that fit into the cache. A range has at least one request. */
  *#waves(requests: readonly GenerateRequest[]): Iterable<[start: number, end: number]> {
    let start = 0;
    let pages = 0;
    for (const [index, request] of requests.entries()) {
      const needed = pagesFor(request);
      if (index > start && pages + needed > this.#pool.limit) {
        yield [start, index];
        start = index;
        pages = 0;
      }
      pages += needed;
    }
    if (start < requests.length) yield [start, requests.length];
  }

  #lane(request: KnownRequest, name: string | undefined): Lane {
    const known = name === undefined ? undefined : this.#sequences.get(name);
    const sequence: Sequence = known ?? { name, tokens: [], pages: [], used: 0 };
    if (name !== undefined) this.#sequences.set(name, sequence);
    sequence.used = this.#clock;
    const kept = knownTokens(sequence.tokens, request);
    if (kept === 0) this.#vacate(sequence);
    return {
      request,
      sequence,
      pending: request.tokens.slice(kept),
      leader: undefined,
      tokens: [],
      logprobs: [],
      ended: false,
      finished: request.maxTokens === 0,
    };
  }

  /** Evicts the sequences that were used longest ago, until these lanes have room. */
  #makeRoom(lanes: readonly Lane[]): void {
    const needed = lanes.reduce((sum, { request, sequence }) => sum + pagesFor(request) - sequence.pages.length, 0);
    const wave = new Set(lanes.map(({ sequence }) => sequence));
    const others = [...this.#sequences.values()].filter((sequence) => !wave.has(sequence));
    for (const sequence of others.sort((a, b) => a.used - b.used)) {
      if (this.#pool.taken + needed <= this.#pool.limit) return;
      this.#vacate(sequence);
    }
  }

  async #finish(lanes: readonly Lane[], sampling: Sampling, signal?: AbortSignal): Promise<void> {
    followLeaders(lanes);
    let since = performance.now();
    for (;;) {
      if (performance.now() - since > LONGEST_TURN) {
        await setImmediate();
        since = performance.now();
      }
      signal?.throwIfAborted();
      const active = lanes.filter((lane) => !lane.finished);
      if (active.length === 0) return;
      const pieces = active.filter((lane) => this.#isReady(lane)).map((lane) => this.#piece(lane));
      this.#model.feed(pieces, (asking) => this.#choose(asking, sampling));
    }
  }

  /** If the lane waits for another lane with the same prompt, takes over the tokens of that lane, except the last. */
  #isReady(lane: Lane): boolean {
    const { leader, sequence, request } = lane;
    if (!leader) return true;
    const shared = request.tokens.length - 1;
    if (leader.sequence.tokens.length < shared) return false;
    for (const page of leader.sequence.pages.slice(0, Math.ceil(shared / PAGE))) {
      const copy = this.#pool.take();
      this.#model.kernels.copy(copy, page, this.#model.pageBytes);
      sequence.pages.push(copy);
    }
    sequence.tokens = request.tokens.slice(0, shared);
    lane.pending = request.tokens.slice(shared);
    lane.leader = undefined;
    return true;
  }

  #piece(lane: Lane): LanePiece {
    const { sequence, pending } = lane;
    const position = sequence.tokens.length;
    while (sequence.pages.length * PAGE < position + pending.length) sequence.pages.push(this.#pool.take());
    for (const token of pending) sequence.tokens.push(token);
    return { lane, tokens: pending, position, pages: sequence.pages, asks: true };
  }

  #choose(asking: readonly LanePiece[], { temperature, topP, topK }: Sampling): void {
    const draws = asking.map(({ lane }) => lane.request.draws[lane.tokens.length]!);
    const ranked = temperature > 0 && (topP < 1 || topK > 0);
    const chosen = ranked
      ? undefined
      : temperature === 0
        ? this.#model.largest(asking.length)
        : this.#model.draw(draws, temperature);
    for (const [row, { lane }] of asking.entries()) {
      const [token, logprob] = chosen
        ? [chosen.tokens[row]!, chosen.logprobs[row]!]
        : chooseRanked(this.#model.logits(row), draws[row]!, { temperature, topP, topK });
      if (!Number.isFinite(logprob)) {
        this.#forget();
        throw brokenWeights(logprob);
      }
      acceptToken(lane, token, logprob, this.#config.maxPositions);
    }
  }

  #vacate(sequence: Sequence): void {
    this.#pool.giveBack(sequence.pages);
    sequence.pages = [];
    sequence.tokens = [];
  }

  #forget(): void {
    for (const sequence of this.#sequences.values()) this.#vacate(sequence);
    this.#sequences.clear();
  }
}

/** Number of pages that a request's sequence needs at its greatest length. */
function pagesFor({ tokens, maxTokens }: GenerateRequest): number {
  return Math.ceil((tokens.length + maxTokens) / PAGE);
}

/** Lanes that begin with the same prompt wait for the first of them. */
function followLeaders(lanes: readonly Lane[]): void {
  const leaders = new Map<string, Lane>();
  for (const lane of lanes) {
    if (lane.sequence.tokens.length > 0 || lane.pending.length < 2 || lane.finished) continue;
    const key = lane.pending.join();
    const leader = leaders.get(key);
    if (leader) lane.leader = leader;
    else leaders.set(key, lane);
  }
}
