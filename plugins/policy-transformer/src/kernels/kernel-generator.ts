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
import { commonPrefix } from '../model/prefix-order.js';
import { KernelModel, PAGE, type Piece } from './kernel-model.js';
import { PagePool } from './page-pool.js';
import { chooseRanked } from './choose-ranked.js';

/** Tokens that the model was fed, and the pages of their keys and values. */
interface Context {
  readonly tokens: number[];
  readonly pages: number[];
  /** Sequences that have these tokens. */
  holders: number;
}

/** A cached sequence. Sequences with equal tokens may hold one context until they go different ways. */
interface Sequence {
  /** Undefined if no later request continues the sequence. */
  readonly name: string | undefined;
  context: Context;
  /** When it was last used, for eviction. */
  used: number;
}

interface Lane extends Continuation {
  readonly sequence: Sequence;
  readonly sampling: Sampling;
  readonly samplingKey: string;
}

/** The next tokens of lanes that have the same tokens before them. They are fed once. */
interface LanesPiece extends Piece {
  readonly lanes: readonly Lane[];
}

/** After this many milliseconds, other tasks of this thread run, for example to deliver an abort. */
const LONGEST_TURN = 20;

/** Generation with `KernelModel`. Each round feeds the pending tokens of every request and samples one token for it. */
export class KernelGenerator implements TokenGenerator {
  readonly #config: DecoderConfig;
  readonly #model: KernelModel;
  readonly #pool: PagePool;
  readonly #pageLimit: number;
  readonly #sequences = new Map<string, Sequence>();
  /** The context without tokens, which belongs to nobody. */
  readonly #empty: Context = { tokens: [], pages: [], holders: Infinity };
  #clock = 0;

  /** @param cacheBytes size of the keys and values; beyond it, sequences are evicted and computed again */
  constructor(config: DecoderConfig, cacheBytes: number) {
    this.#config = config;
    this.#model = new KernelModel(config);
    this.#pool = new PagePool(this.#model.kernels, this.#model.pageBytes);
    this.#pageLimit = Math.max(1, Math.floor(cacheBytes / this.#model.pageBytes));
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
      const lanes = requests
        .slice(start, end)
        .map((request, index) => this.#lane(request, names[start + index], request.sampling ?? sampling));
      try {
        this.#makeRoom(lanes);
        await this.#finish(lanes, signal);
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
      if (index > start && pages + needed > this.#pageLimit) {
        yield [start, index];
        start = index;
        pages = 0;
      }
      pages += needed;
    }
    if (start < requests.length) yield [start, requests.length];
  }

  #lane(request: KnownRequest, name: string | undefined, sampling: Sampling): Lane {
    const known = name === undefined ? undefined : this.#sequences.get(name);
    const sequence: Sequence = known ?? { name, context: this.#empty, used: 0 };
    if (name !== undefined) this.#sequences.set(name, sequence);
    sequence.used = this.#clock;
    const kept = knownTokens(sequence.context.tokens, request);
    if (kept === 0) this.#vacate(sequence);
    return {
      request,
      sequence,
      pending: request.tokens.slice(kept),
      tokens: [],
      logprobs: [],
      ended: false,
      finished: request.maxTokens === 0,
      sampling,
      samplingKey: JSON.stringify([sampling.temperature, sampling.topP, sampling.topK]),
    };
  }

  /**
   * Evicts the sequences that were used longest ago, until these lanes have room. Pages count as if none were shared,
   * because their sequences may go different ways.
   */
  #makeRoom(lanes: readonly Lane[]): void {
    const wave = new Set(lanes.map(({ sequence }) => sequence));
    const others = [...this.#sequences.values()].filter((sequence) => !wave.has(sequence));
    let pages = lanes.reduce((sum, { request }) => sum + pagesFor(request), 0);
    for (const { context } of others) pages += context.pages.length;
    if (pages <= this.#pageLimit) return;
    for (const sequence of others.sort((a, b) => a.used - b.used)) {
      pages -= sequence.context.pages.length;
      this.#vacate(sequence);
      if (pages <= this.#pageLimit) return;
    }
  }

  async #finish(lanes: readonly Lane[], signal?: AbortSignal): Promise<void> {
    this.#feedBeginning(lanes);
    let since = performance.now();
    for (;;) {
      if (performance.now() - since > LONGEST_TURN) {
        await setImmediate();
        since = performance.now();
      }
      signal?.throwIfAborted();
      const active = lanes.filter((lane) => !lane.finished);
      if (active.length === 0) return;
      const pieces = alike(active).map((group) => this.#piece(group));
      this.#model.feed(pieces, (asking) => this.#choose(asking));
    }
  }

  /** Feeds what all new sequences begin with once. They hold one context until they go different ways. */
  #feedBeginning(lanes: readonly Lane[]): void {
    const fresh = lanes.filter(({ finished, sequence }) => !finished && sequence.context === this.#empty);
    const [first, ...others] = fresh;
    if (first === undefined) return;
    // Each lane feeds its last token itself, to be asked for the next one.
    let length = Math.min(...fresh.map(({ pending }) => pending.length - 1));
    for (const { pending } of others) length = Math.min(length, commonPrefix(first.pending, pending));
    if (others.length === 0 || length < PAGE) return;
    const beginning = { ...this.#piece(fresh as [Lane, ...Lane[]], length), asks: false };
    this.#model.feed([beginning], () => undefined);
    for (const lane of fresh) lane.pending = lane.pending.slice(length);
  }

  /** Adds the first pending tokens of lanes to their context. Other sequences that hold it keep it as it is. */
  #piece(lanes: readonly [Lane, ...Lane[]], count = Infinity): LanesPiece {
    const [{ sequence, pending: all }] = lanes;
    const pending = all.slice(0, count);
    const context = sequence.context.holders === lanes.length ? sequence.context : this.#fork(sequence.context, lanes);
    const { tokens, pages } = context;
    const position = tokens.length;
    const started = Math.floor(position / PAGE);
    if (started < pages.length) pages[started] = this.#pool.own(pages[started]!);
    while (pages.length * PAGE < position + pending.length) pages.push(this.#pool.take());
    for (const token of pending) tokens.push(token);
    return { lanes, tokens: pending, position, pages, asks: true };
  }

  /** A copy of a context, which these lanes hold instead. It shares the pages until it writes to them. */
  #fork(from: Context, lanes: readonly Lane[]): Context {
    const fork = { tokens: [...from.tokens], pages: [...from.pages], holders: lanes.length };
    this.#pool.share(from.pages);
    from.holders -= lanes.length;
    for (const { sequence } of lanes) sequence.context = fork;
    return fork;
  }

  #choose(asking: readonly LanesPiece[]): void {
    const bySampling = new Map<string, { readonly lane: Lane; readonly line: number }[]>();
    for (const [line, { lanes }] of asking.entries()) {
      for (const lane of lanes) {
        const group = bySampling.get(lane.samplingKey);
        if (group === undefined) bySampling.set(lane.samplingKey, [{ lane, line }]);
        else group.push({ lane, line });
      }
    }
    for (const chosen of bySampling.values()) this.#chooseAlike(chosen);
  }

  /** Chooses for lanes that are sampled in the same way. */
  #chooseAlike(chosen: readonly { readonly lane: Lane; readonly line: number }[]): void {
    const { temperature, topP, topK } = chosen[0]!.lane.sampling;
    const draws = chosen.map(({ lane }) => lane.request.draws[lane.tokens.length]!);
    const accept = (index: number, token: number, logprob: number) => {
      if (!Number.isFinite(logprob)) {
        this.#forget();
        throw brokenWeights(logprob);
      }
      const { lane } = chosen[index]!;
      acceptToken(lane, token, logprob, lane.sequence.context.tokens.length >= this.#config.maxPositions);
    };
    if (temperature === 0) {
      // Lanes of one piece get the same token.
      const lines = [...new Set(chosen.map(({ line }) => line))];
      const { tokens, logprobs } = this.#model.largest(lines);
      const place = new Map(lines.map((line, index) => [line, index]));
      chosen.forEach(({ line }, index) => accept(index, tokens[place.get(line)!]!, logprobs[place.get(line)!]!));
    } else if (topP < 1 || topK > 0) {
      chosen.forEach(({ line }, index) => {
        accept(index, ...chooseRanked(this.#model.logits(line), draws[index]!, { temperature, topP, topK }));
      });
    } else {
      const lines = chosen.map(({ line }) => line);
      const { tokens, logprobs } = this.#model.draw(lines, draws, temperature);
      tokens.forEach((token, index) => accept(index, token, logprobs[index]!));
    }
  }

  #vacate(sequence: Sequence): void {
    const { context } = sequence;
    sequence.context = this.#empty;
    context.holders -= 1;
    if (context.holders === 0) this.#pool.giveBack(context.pages);
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

/**
 * Groups of lanes that have the same tokens, and the same tokens to be fed. They are sampled in the same way, because that
 * overwrites the logits.
 */
function alike(lanes: readonly Lane[]): (readonly [Lane, ...Lane[]])[] {
  const groups = new Map<Context, Map<string, [Lane, ...Lane[]]>>();
  for (const lane of lanes) {
    const { context } = lane.sequence;
    const ofContext = groups.get(context) ?? new Map<string, [Lane, ...Lane[]]>();
    groups.set(context, ofContext);
    const key = `${lane.pending.join()} ${lane.samplingKey}`;
    const group = ofContext.get(key);
    if (group) group.push(lane);
    else ofContext.set(key, [lane]);
  }
  return [...groups.values()].flatMap((ofContext) => [...ofContext.values()]);
}
