import type { GeneratedTokens, Sampling } from '@agentgym/cli';

import type { HostArrays, RowRules, RunOptions } from '../executors/executor.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import type { HostArray } from '../operations/tensor.js';
import type { DecodeSizes } from './decode-graph.js';
import type { CachedSequence, KeyValueCache } from './key-value-cache.js';
import { createLane, sharePrompts, type Lane } from './lane.js';
import { choiceOf, type Choice } from './sampling-graph.js';
import { stepInputs, type StepRow } from './step-inputs.js';
import {
  acceptToken,
  brokenWeights,
  checkRequest,
  uniqueNames,
  type KnownRequest,
  type ModelWeights,
  type PreparedWeights,
  type TokenGenerator,
} from './token-generator.js';

/** Runs the decode graph. Adapters of one shape over the same frozen weights may share a runner, with its programs. */
export interface DecodeRunner {
  /** Rows of a run. */
  readonly rowLimits: { readonly least: number; readonly most: number };
  /** Makes weights ready for runs. Call it again after the trainable ones changed. */
  prepare(weights: ModelWeights): Promise<PreparedWeights>;
  /** @param options the cache */
  run(
    weights: PreparedWeights,
    choice: Choice,
    sizes: DecodeSizes,
    inputs: HostArrays,
    options: RunOptions,
  ): Promise<{ readonly [name: string]: HostArray }>;
  dispose(): Promise<void>;
}

export interface GeneratorLimits {
  /** Size of the cache. Beyond it, sequences are evicted and computed again. */
  readonly cacheBytes: number;
  /** New tokens of one run. */
  readonly tokensPerRun: number;
  readonly rowsPerRun: number;
  /** Floats of the attention scores of one run and layer. */
  readonly scoresPerRun: number;
}

/** Most rows of a run. */
function rowsOfRun(
  { heads }: DecoderConfig,
  { tokensPerRun, rowsPerRun, scoresPerRun }: Omit<GeneratorLimits, 'cacheBytes'>,
  { least, most }: DecodeRunner['rowLimits'],
  { width, capacity }: Pick<DecodeSizes, 'width' | 'capacity'>,
): number {
  const scores = heads * width * (capacity + width);
  return Math.max(
    least,
    Math.min(most, rowsPerRun, Math.floor(tokensPerRun / width), Math.floor(scoresPerRun / scores)),
  );
}

/** Finished rows leave the runs together, when at most this share of rows is active: moving rows costs about a step. */
const COMPACT_AT = 0.85;

/**
 * Continues token sequences by continuous batching over a ragged cache. Rows are independent to the last bit (see
 * `decodeGraph`), so the choice of rows that share a run, their order and the capacity affect only speed. Three rules
 * keep the bits equal: a piece of one token and a longer piece never share a run; a run has as many rows as the
 * runner's `rowLimits` say where tokens are chosen; and the width of a run is 1 or a multiple that they say.
 */
export class GraphGenerator implements TokenGenerator {
  readonly #config: DecoderConfig;
  readonly #runner: DecodeRunner;
  readonly #limits: GeneratorLimits;
  readonly #rules: RowRules;
  readonly #cache: KeyValueCache;
  readonly #sequences = new Map<string, CachedSequence>();
  #weights: PreparedWeights | undefined;

  /** @param cache of the executor that the runner uses. Generators that do not run at the same time may share it. */
  constructor(config: DecoderConfig, runner: DecodeRunner, cache: KeyValueCache, limits: GeneratorLimits) {
    this.#config = config;
    this.#runner = runner;
    this.#limits = limits;
    this.#rules = cache.rules;
    this.#cache = cache;
  }

  async generate(
    requests: readonly KnownRequest[],
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<GeneratedTokens[]> {
    for (const request of requests) checkRequest(this.#config, request);
    const answers: GeneratedTokens[] = [];
    const now = this.#cache.tick();
    for (const wave of this.#waves(requests)) {
      const lanes = this.#lanes(wave, now, sampling);
      try {
        await this.#finish(lanes, signal);
      } finally {
        for (const { sequence } of lanes) if (sequence.name === undefined) this.#cache.vacate(sequence);
      }
      answers.push(...lanes.map(({ tokens, logprobs, ended }) => ({ tokens, logprobs, ended })));
    }
    return answers;
  }

  /** Forgets sequences. */
  release(names: readonly string[]): void {
    for (const name of names) {
      const sequence = this.#sequences.get(name);
      if (sequence) this.#cache.vacate(sequence);
      this.#sequences.delete(name);
    }
  }

  async useWeights(weights: ModelWeights): Promise<void> {
    this.release([...this.#sequences.keys()]);
    this.#weights = await this.#runner.prepare(weights);
  }

  dispose(): Promise<void> {
    // Others may share the cache.
    this.release([...this.#sequences.keys()]);
    return this.#runner.dispose();
  }

  #lanes(requests: readonly KnownRequest[], now: number, usual: Sampling): Lane[] {
    const names = uniqueNames(requests);
    return requests.map((request, index) => {
      const name = names[index];
      const known = name === undefined ? undefined : this.#sequences.get(name);
      const sequence = known ?? { name, slot: -1, tokens: [], pieces: [], used: 0 };
      if (name !== undefined) this.#sequences.set(name, sequence);
      sequence.used = now;
      const sampling = request.sampling ?? usual;
      return createLane(request, sequence, { sampling, choice: choiceOf(sampling, this.#config.vocabularySize) });
    });
  }

  /** Splits requests into waves that fit into the cache. */
  #waves(requests: readonly KnownRequest[]): KnownRequest[][] {
    const longest = Math.max(...requests.map(({ tokens, maxTokens }) => tokens.length + maxTokens));
    const capacity = this.#cache.capacityFor(Math.min(longest, this.#config.maxPositions));
    const size = Math.max(
      this.#runner.rowLimits.least,
      Math.floor(this.#limits.cacheBytes / this.#cache.bytes(1, capacity)),
    );
    return Array.from({ length: Math.ceil(requests.length / size) }, (_, wave) =>
      requests.slice(wave * size, (wave + 1) * size),
    );
  }

  async #finish(wave: readonly Lane[], signal?: AbortSignal): Promise<void> {
    sharePrompts(wave);
    this.#place(wave);
    let range = wave.length;
    for (;;) {
      signal?.throwIfAborted();
      const active = wave.filter((lane) => !lane.finished);
      if (active.length === 0) return;
      for (const lane of active) this.#follow(lane);
      const long = active.filter((lane) => !lane.leader && lane.pieces[0]! > 1);
      if (long.length > 0) {
        const group = this.#widest(long);
        await this.#run(group, this.#together(group), group.length);
        continue;
      }
      if (active.length <= COMPACT_AT * range) range = active.length;
      const [group, ...others] = byChoice(active);
      if (others.length === 0) {
        this.#cache.arrange(sequencesOf(active), 0);
        await this.#run(active, 0, range);
        continue;
      }
      // Each choice is a program, and reads slots side by side.
      let start = 0;
      for (const lanes of [group!, ...others]) {
        this.#cache.arrange(sequencesOf(lanes), start);
        await this.#run(lanes, start, lanes.length);
        start += lanes.length;
      }
    }
  }

  /** Gives the whole wave slots. If memory is short, evicts the sequences that were used longest ago. */
  #place(wave: readonly Lane[]): void {
    const members = new Set(sequencesOf(wave));
    const longest = Math.max(...wave.map(({ sequence, pending }) => sequence.tokens.length + pending.length));
    const others = [...this.#cache.resident()].filter((sequence) => !members.has(sequence));
    const capacity = this.#cache.capacityFor(longest);
    if (others.length === 0 && wave.every(({ sequence }) => sequence.slot < 0)) this.#cache.reshape(capacity);
    const fits = Math.floor(this.#limits.cacheBytes / this.#cache.bytes(1, Math.max(capacity, this.#cache.capacity)));
    const evicted = others
      .sort((a, b) => a.used - b.used)
      .slice(0, Math.max(0, others.length + wave.length + 1 - Math.max(fits, wave.length + 1)));
    for (const sequence of evicted) this.#cache.vacate(sequence);
    // One slot more than sequences: a sequence that must move needs a free slot.
    this.#cache.reserve(others.length - evicted.length + wave.length + 1, capacity);
    this.#cache.arrange(sequencesOf([...wave].sort((a, b) => nextPiece(b) - nextPiece(a))), 0);
  }

  /** Moves these lanes into adjacent slots if they are not. Returns the first of these slots. */
  #together(lanes: readonly Lane[]): number {
    const slots = lanes.map(({ sequence }) => sequence.slot);
    const first = Math.min(...slots);
    if (Math.max(...slots) - first + 1 === lanes.length) return first;
    this.#cache.arrange(sequencesOf(lanes), 0);
    return 0;
  }

  /** If the lane waited for pieces that another lane has fed by now, takes them over. */
  #follow(lane: Lane): void {
    const { awaited, leader } = lane;
    if (leader === undefined || leader.sequence.pieces.length < awaited) return;
    this.#cache.copy(leader.sequence, lane.sequence, awaited);
    lane.pending = lane.pending.slice(lane.sequence.tokens.length);
    lane.pieces = lane.pieces.slice(awaited);
    lane.leader = undefined;
  }

  /**
   * Feeds each lane its next piece. The lanes have the same choice and are within `range` slots from `start`. Other slots
   * in this range are computed too, and their results are not used.
   */
  async #run(lanes: readonly Lane[], start: number, range: number): Promise<void> {
    const bySlot = new Map(lanes.map((lane) => [lane.sequence.slot, lane]));
    const widestPiece = Math.max(...lanes.map(({ pieces }) => pieces[0]!));
    const width = widestPiece === 1 ? 1 : this.#paddedWidth(widestPiece);
    const longest = Math.max(...lanes.map(({ sequence, pieces }) => sequence.tokens.length + pieces[0]!));
    // The number of rows changes products of single tokens, such as those after the last layer. Where no token is chosen,
    // only keys and values count, which are products of all new tokens.
    const chooses = width === 1 || lanes.some(({ pieces }) => pieces.length === 1);
    const rowLimits = chooses ? this.#runner.rowLimits : { ...this.#runner.rowLimits, least: 1 };
    const { least } = rowLimits;
    this.#cache.reserve(least, this.#cache.capacityFor(longest));
    const { capacity } = this.#cache;
    const rows = rowsOfRun(this.#config, this.#limits, rowLimits, { width, capacity });
    const end = Math.max(start + range, least);
    for (let from = start; from < start + range; from += rows) {
      // Too few rows are computed with neighbours, whose results are not used.
      const first = Math.max(0, Math.min(from, end - least));
      const count = Math.max(least, Math.min(rows, end - first));
      const part = Array.from({ length: count }, (_, row) =>
        first + row < from ? undefined : bySlot.get(first + row),
      );
      if (part.some((lane) => lane)) await this.#runPart(part, first, { rows: count, width }, lanes[0]!.choice);
    }
  }

  async #runPart(
    lanes: readonly (Lane | undefined)[],
    first: number,
    shape: Pick<DecodeSizes, 'rows' | 'width'>,
    choice: Choice,
  ): Promise<void> {
    const rows = lanes.map((lane): StepRow | undefined => {
      if (!lane) return undefined;
      const { pending, pieces, sequence, request, tokens } = lane;
      return {
        tokens: pending,
        count: pieces[0]!,
        length: sequence.tokens.length,
        draw: request.draws[tokens.length]!,
        sampling: lane.sampling,
      };
    });
    const isFresh = rows.every((row) => (row?.length ?? 0) === 0);
    const cache = this.#cache.window(first, shape.rows, isFresh);
    const sizes = { ...shape, capacity: cache.capacity };
    const inputs = stepInputs(this.#config, sizes, rows, choice);
    if (this.#weights === undefined) throw new Error('the generator has no weights yet');
    const results = await this.#runner.run(this.#weights, choice, sizes, inputs, {
      state: [cache.view],
      appendTo: {
        cache: this.#cache.state,
        rows: lanes.map((lane) => lane && this.#cache.end(lane.sequence, lane.pieces[0]!)),
      },
    });
    lanes.forEach((lane, row) => {
      if (lane) this.#advance(lane, results['token']![row]!, results['logprob']![row]!);
    });
  }

  #advance(lane: Lane, token: number, logprob: number): void {
    if (!Number.isFinite(logprob)) {
      this.#cache.clear();
      this.#sequences.clear();
      throw brokenWeights(logprob);
    }
    const count = lane.pieces.shift()!;
    lane.sequence.tokens.push(...lane.pending.slice(0, count));
    lane.sequence.pieces.push(count);
    lane.pending = lane.pending.slice(count);
    if (lane.pending.length > 0) return;
    acceptToken(lane, token, logprob, lane.sequence.tokens.length >= this.#config.maxPositions);
    lane.pieces = lane.pending.map(() => 1);
  }

  /** Width of a run for a piece of several tokens. */
  #paddedWidth(piece: number): number {
    const { widthMultiple } = this.#rules;
    return Math.ceil(piece / widthMultiple) * widthMultiple;
  }

  /** The lanes of one choice whose padded next pieces are widest, within a factor of two. */
  #widest(lanes: readonly Lane[]): readonly Lane[] {
    const sizeClass = (lane: Lane) => Math.ceil(Math.log2(this.#paddedWidth(lane.pieces[0]!)));
    const top = Math.max(...lanes.map(sizeClass));
    return byChoice(lanes.filter((lane) => sizeClass(lane) === top))[0]!;
  }
}

/** Lanes whose tokens are chosen by the same program. */
function byChoice(lanes: readonly Lane[]): (readonly Lane[])[] {
  const groups = new Map<Choice, Lane[]>();
  for (const lane of lanes) {
    const group = groups.get(lane.choice);
    if (group === undefined) groups.set(lane.choice, [lane]);
    else group.push(lane);
  }
  return [...groups.values()];
}

function sequencesOf(lanes: readonly Lane[]): CachedSequence[] {
  return lanes.map(({ sequence }) => sequence);
}

/** Size of the piece that a lane feeds first, 0 if it waits for another lane. */
function nextPiece(lane: Lane): number {
  return lane.leader ? 0 : lane.pieces[0]!;
}
