import type { DecoderConfig } from '../model/decoder-config.js';
import {
  EMBEDDING,
  FINAL_NORM,
  headName,
  layerParameter,
  projectionSizes,
  type LayerNorm,
  type Projection,
} from '../model/parameters.js';
import { rotaryTables } from '../model/rotary-tables.js';
import { Kernels } from './kernels.js';

/** Positions of a page of the cache. */
export const PAGE = 16;

/** Most rows that go through the model at a time. Their activations stay in the processor's caches. */
const MOST_ROWS = 64;

/** Some new tokens of one sequence. */
export interface Piece {
  readonly tokens: readonly number[];
  /** Position of the first token. */
  readonly position: number;
  /** Addresses of the sequence's pages, including the pages of the new tokens. */
  readonly pages: readonly number[];
  /** Whether the caller needs the logits after its last token. */
  readonly asks: boolean;
}

/** Ids of chosen tokens and their log probabilities. */
interface Chosen {
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
}

/** Several matrices that read the same input, stored as one. */
interface JointProjection {
  readonly parts: readonly Projection[];
  readonly inputs: number;
  readonly outputs: number;
  /** Addresses of panels and bias. `bias` is 0 if there is none. */
  readonly panels: number;
  readonly bias: number;
}

interface Layer {
  readonly norms: ReadonlyMap<LayerNorm, number>;
  readonly attention: JointProjection;
  readonly output: JointProjection;
  readonly gateUp: JointProjection;
  readonly down: JointProjection;
}

function isNormOfHeads(name: LayerNorm): boolean {
  return name === 'self_attn.q_norm' || name === 'self_attn.k_norm';
}

/**
 * Whether the kernels compute this model. They read and write two vectors of four numbers at a time, and know one kind
 * of layer: every query sees and turns with all positions, with no more than the norms and the activation of Llama.
 */
export function fitsKernels(config: DecoderConfig): boolean {
  const { hiddenSize, headWidth, intermediateSize, attentionKinds, activation, embeddingScale } = config;
  const [{ rope, window }, ...others] = attentionKinds;
  const isPlain = rope !== undefined && window === undefined && others.length === 0 && config.queryScalar === undefined;
  const isLlama = activation === 'silu' && embeddingScale === 1 && !config.outputNorms && !config.centeredNorms;
  return isPlain && isLlama && [hiddenSize, headWidth, intermediateSize].every((size) => size % 8 === 0);
}

/**
 * A decoder in hand-written kernels for sampling. Rows of tokens are computed one by one, for any mix of sequences, and
 * the bits of each row depend only on its own sequence. Keys and values are in pages of 16 positions (Kwon et al. 2023),
 * so there is no padding, and nothing moves when a sequence grows.
 */
export class KernelModel {
  readonly kernels = new Kernels();
  /** Bytes of a page: keys and values of all layers. */
  readonly pageBytes: number;
  readonly #config: DecoderConfig;
  readonly #layers: readonly Layer[];
  readonly #embedding: number;
  readonly #finalNorm: number;
  readonly #head: JointProjection;
  /** Buffer for one matrix before it is packed into panels. */
  readonly #staging: number;
  readonly #buffers: Readonly<
    Record<
      | 'ids'
      | 'positions'
      | 'tables'
      | 'tableEntries'
      | 'hidden'
      | 'normed'
      | 'projected'
      | 'context'
      | 'gated'
      | 'activated'
      | 'logits'
      | 'sums'
      | 'lines'
      | 'draws'
      | 'tokens'
      | 'logprobs',
      number
    >
  >;

  constructor(config: DecoderConfig) {
    this.#config = config;
    const { hiddenSize, heads, keyValueHeads, headWidth, intermediateSize, vocabularySize, maxPositions } = config;
    this.pageBytes = 4 * config.layers * 2 * keyValueHeads * headWidth * PAGE;
    this.#layers = Array.from({ length: config.layers }, () => ({
      norms: new Map(this.#norms().map((name) => [name, this.#floats(isNormOfHeads(name) ? headWidth : hiddenSize)])),
      attention: this.#joint('self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'),
      output: this.#joint('self_attn.o_proj'),
      gateUp: this.#joint('mlp.gate_proj', 'mlp.up_proj'),
      down: this.#joint('mlp.down_proj'),
    }));
    this.#embedding = this.#floats(vocabularySize * hiddenSize);
    this.#finalNorm = this.#floats(hiddenSize);
    const padded = Math.ceil(vocabularySize / 8) * 8;
    this.#head = {
      parts: [],
      inputs: hiddenSize,
      outputs: padded,
      panels: this.#floats(padded * hiddenSize),
      bias: 0,
    };
    this.#staging = this.#floats(Math.max(padded, intermediateSize, heads * headWidth, hiddenSize) * this.#widest());
    const rows = (width: number) => this.#floats(MOST_ROWS * width);
    this.#buffers = {
      ids: rows(1),
      positions: rows(1),
      tables: rows(1),
      tableEntries: rows(Math.ceil(maxPositions / PAGE)),
      hidden: rows(hiddenSize),
      normed: rows(hiddenSize),
      projected: rows((heads + 2 * keyValueHeads) * headWidth),
      context: rows(heads * headWidth),
      gated: rows(2 * intermediateSize),
      activated: rows(intermediateSize),
      logits: rows(padded),
      sums: rows(2),
      lines: rows(1),
      draws: rows(2),
      tokens: rows(1),
      logprobs: rows(1),
    };
    const { cos, sin } = rotaryTables(config, config.attentionKinds[0].rope, maxPositions);
    const tables = [cos, sin].map((table) => {
      const address = this.#floats(table.length);
      this.kernels.floats(address, table.length).set(table);
      return address;
    }) as [number, number];
    const scores = () => this.#floats(Math.ceil(maxPositions / PAGE) * PAGE);
    this.kernels.run.configureAttention(heads, keyValueHeads, headWidth, ...tables, scores(), scores());
  }

  /** Copies weights. Their names are the names of a Hugging Face checkpoint. */
  useWeights(parameters: ReadonlyMap<string, Float32Array>): void {
    const { hiddenSize, vocabularySize } = this.#config;
    const { kernels } = this;
    const of = (name: string): Float32Array => {
      const found = parameters.get(name);
      if (!found) throw new Error(`the model has no parameter ${name}`);
      return found;
    };
    const write = (address: number, data: Float32Array) => kernels.floats(address, data.length).set(data);
    const pack = (to: JointProjection, data: Float32Array, first: number, outputs: number) => {
      write(this.#staging, data);
      kernels.run.pack(to.panels, this.#staging, first, outputs, to.inputs);
    };
    for (const [layer, { norms, attention, output, gateUp, down }] of this.#layers.entries()) {
      for (const [name, address] of norms) write(address, of(layerParameter(layer, name)));
      for (const joint of [attention, output, gateUp, down]) {
        let first = 0;
        for (const part of joint.parts) {
          const { outputs, bias } = projectionSizes(this.#config, part);
          pack(joint, of(layerParameter(layer, part)), first, outputs);
          if (bias) write(joint.bias + 4 * first, of(layerParameter(layer, part, 'bias')));
          first += outputs;
        }
      }
    }
    write(this.#embedding, of(EMBEDDING));
    write(this.#finalNorm, of(FINAL_NORM));
    kernels.floats(this.#staging, this.#head.outputs * hiddenSize).fill(0);
    pack(this.#head, of(headName(this.#config)), 0, vocabularySize);
  }

  /**
   * Feeds pieces in order. When the rows of a run are computed, calls `choose` with the pieces whose logits are ready.
   * During this call, `draw`, `largest` or `logits` refer to these pieces by their index in the list. The first two
   * overwrite the logits.
   */
  feed<Fed extends Piece>(pieces: readonly Fed[], choose: (asking: readonly Fed[]) => void): void {
    let rows = 0;
    let run: { piece: Fed; from: number; count: number }[] = [];
    const flush = () => {
      const asking = run.filter(({ piece, from, count }) => piece.asks && from + count === piece.tokens.length);
      this.#run(run, rows);
      if (asking.length > 0) choose(asking.map(({ piece }) => piece));
      rows = 0;
      run = [];
    };
    for (const piece of pieces) {
      for (let from = 0; from < piece.tokens.length;) {
        if (rows === MOST_ROWS) flush();
        const count = Math.min(piece.tokens.length - from, MOST_ROWS - rows);
        run.push({ piece, from, count });
        rows += count;
        from += count;
      }
    }
    if (rows > 0) flush();
  }

  /**
   * Draws tokens after asking pieces. Returns ids and the log-softmax(logits / temperature) of each.
   * @param lines for each draw, the index of the asking piece
   * @param draws in (0, 1]
   */
  draw(lines: readonly number[], draws: readonly number[], temperature: number): Chosen {
    const { kernels } = this;
    const { vocabularySize } = this.#config;
    const { tokens, logprobs, logits, sums, ...buffers } = this.#buffers;
    const stride = 4 * this.#head.outputs;
    for (const line of new Set(lines)) {
      kernels.run.softenRows(sums + 8 * line, logits + line * stride, stride, 1, vocabularySize, 1 / temperature);
    }
    const chosen = { tokens: new Int32Array(draws.length), logprobs: new Float32Array(draws.length) };
    for (let from = 0; from < draws.length; from += MOST_ROWS) {
      const to = Math.min(from + MOST_ROWS, draws.length);
      kernels.integers(buffers.lines, to - from).set(lines.slice(from, to));
      kernels.doubles(buffers.draws, to - from).set(draws.slice(from, to));
      kernels.run.drawTokens(
        ...([tokens, logprobs, logits, sums, stride, buffers.lines, buffers.draws, to - from, vocabularySize] as const),
      );
      chosen.tokens.set(kernels.integers(tokens, to - from), from);
      chosen.logprobs.set(kernels.floats(logprobs, to - from), from);
    }
    return chosen;
  }

  /** The likeliest token after each of these asking pieces, and its log-softmax. */
  largest(lines: readonly number[]): Chosen {
    const { tokens, logprobs, logits } = this.#buffers;
    const { vocabularySize } = this.#config;
    const stride = 4 * this.#head.outputs;
    for (const [index, line] of lines.entries()) {
      const row = logits + line * stride;
      this.kernels.run.largestTokens(tokens + 4 * index, logprobs + 4 * index, row, stride, 1, vocabularySize);
    }
    return {
      tokens: this.kernels.integers(tokens, lines.length),
      logprobs: this.kernels.floats(logprobs, lines.length),
    };
  }

  /** Logits [vocabulary] of one asking piece. */
  logits(row: number): Float32Array {
    return this.kernels.floats(this.#buffers.logits + 4 * row * this.#head.outputs, this.#config.vocabularySize);
  }

  #run(
    pieces: readonly { readonly piece: Piece; readonly from: number; readonly count: number }[],
    count: number,
  ): void {
    const { hiddenSize, rmsEpsilon, layers, headWidth, heads, keyValueHeads, intermediateSize } = this.#config;
    const { run } = this.kernels;
    const buffers = this.#buffers;
    const asking = this.#place(pieces);
    // Kernels compute several rows at a time, so the results of some rows are not used.
    let rows = count;
    let padded = Math.ceil(rows / 4) * 4;
    const layerBytes = this.pageBytes / layers;
    const projectedBytes = 4 * (heads + 2 * keyValueHeads) * headWidth;
    run.embed(buffers.hidden, this.#embedding, buffers.ids, padded, hiddenSize);
    for (const [layer, { norms, attention, output, gateUp, down }] of this.#layers.entries()) {
      const offset = layer * layerBytes;
      this.#normalize(buffers.hidden, norms.get('input_layernorm')!, padded);
      this.#project(buffers.projected, buffers.normed, attention, padded);
      const eachHead = [
        ['self_attn.q_norm', 0, heads],
        ['self_attn.k_norm', heads, keyValueHeads],
      ] as const;
      for (const [name, first, parts] of eachHead) {
        const weight = norms.get(name);
        if (weight === undefined) continue;
        const at = buffers.projected + 4 * first * headWidth;
        run.normalize(at, projectedBytes, at, projectedBytes, weight, rows, parts, headWidth, rmsEpsilon);
      }
      run.rememberRows(buffers.projected, buffers.positions, buffers.tables, offset, rows);
      if (layer === layers - 1) {
        if (asking.length === 0) return;
        this.#keep(asking, projectedBytes);
        rows = asking.length;
        padded = Math.ceil(rows / 4) * 4;
      }
      run.attend(buffers.context, buffers.projected, projectedBytes, buffers.positions, buffers.tables, offset, rows);
      this.#project(buffers.hidden, buffers.context, output, padded, true);
      this.#normalize(buffers.hidden, norms.get('post_attention_layernorm')!, padded);
      this.#project(buffers.gated, buffers.normed, gateUp, padded);
      run.gate(buffers.activated, buffers.gated, padded, intermediateSize);
      this.#project(buffers.hidden, buffers.activated, down, padded, true);
    }
    this.#normalize(buffers.hidden, this.#finalNorm, padded);
    this.#project(buffers.logits, buffers.normed, this.#head, padded);
  }

  /** Writes ids, positions and page tables of all rows. Returns the rows whose logits are needed. */
  #place(pieces: readonly { readonly piece: Piece; readonly from: number; readonly count: number }[]): number[] {
    const { ids, positions, tables, tableEntries } = this.#buffers;
    const idsView = this.kernels.integers(ids, MOST_ROWS);
    const positionsView = this.kernels.integers(positions, MOST_ROWS);
    const tablesView = this.kernels.integers(tables, MOST_ROWS);
    const pagesEach = Math.ceil(this.#config.maxPositions / PAGE);
    const entries = this.kernels.integers(tableEntries, MOST_ROWS * pagesEach);
    const asking: number[] = [];
    let row = 0;
    for (const [index, { piece, from, count }] of pieces.entries()) {
      const { tokens, position, pages } = piece;
      for (let page = 0; page < pages.length; page += 1) entries[index * pagesEach + page] = pages[page]!;
      for (let token = from; token < from + count; token += 1) {
        idsView[row] = tokens[token]!;
        positionsView[row] = position + token;
        tablesView[row] = tableEntries + 4 * index * pagesEach;
        row += 1;
      }
      if (piece.asks && from + count === tokens.length) asking.push(row - 1);
    }
    return asking;
  }

  /** Moves the asking rows to the front. The last layer computes only these. */
  #keep(asking: readonly number[], projectedBytes: number): void {
    const { hidden, projected, positions, tables } = this.#buffers;
    const bytes = 4 * this.#config.hiddenSize;
    for (const [to, from] of asking.entries()) {
      if (to === from) continue;
      this.kernels.copy(hidden + to * bytes, hidden + from * bytes, bytes);
      this.kernels.copy(projected + to * projectedBytes, projected + from * projectedBytes, projectedBytes);
      this.kernels.copy(positions + 4 * to, positions + 4 * from, 4);
      this.kernels.copy(tables + 4 * to, tables + 4 * from, 4);
    }
  }

  #normalize(input: number, weight: number, rows: number): void {
    const { hiddenSize, rmsEpsilon } = this.#config;
    const bytes = 4 * hiddenSize;
    this.kernels.run.normalize(this.#buffers.normed, bytes, input, bytes, weight, rows, 1, hiddenSize, rmsEpsilon);
  }

  #project(target: number, input: number, by: JointProjection, rows: number, accumulate = false): void {
    this.kernels.run.project(target, input, by.panels, by.bias, rows, by.inputs, by.outputs, accumulate);
  }

  #joint(...parts: [Projection, ...Projection[]]): JointProjection {
    const sizes = parts.map((part) => projectionSizes(this.#config, part));
    const [{ inputs, bias }] = sizes as [(typeof sizes)[number]];
    const outputs = sizes.reduce((sum, size) => sum + size.outputs, 0);
    return {
      parts,
      inputs,
      outputs,
      panels: this.#floats(outputs * inputs),
      bias: bias ? this.#floats(outputs) : 0,
    };
  }

  #norms(): LayerNorm[] {
    const ofHeads: LayerNorm[] = this.#config.queryKeyNorm ? ['self_attn.q_norm', 'self_attn.k_norm'] : [];
    return ['input_layernorm', 'post_attention_layernorm', ...ofHeads];
  }

  #widest(): number {
    const { hiddenSize, heads, headWidth, intermediateSize } = this.#config;
    return Math.max(hiddenSize, heads * headWidth, intermediateSize);
  }

  #floats(count: number): number {
    return this.kernels.reserve(4 * count);
  }
}
