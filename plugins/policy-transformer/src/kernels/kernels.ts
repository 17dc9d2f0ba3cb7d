import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Functions of `assembly/`, where they are documented. Most numbers are addresses in bytes, or counts. */
interface KernelFunctions {
  attend(
    target: number,
    queries: number,
    stride: number,
    positions: number,
    tables: number,
    offset: number,
    rows: number,
  ): void;
  configureAttention(
    heads: number,
    keyValueHeads: number,
    headWidth: number,
    cosines: number,
    sines: number,
    scores: number,
    moreScores: number,
  ): void;
  drawTokens(
    tokens: number,
    logprobs: number,
    softened: number,
    sums: number,
    stride: number,
    lines: number,
    draws: number,
    count: number,
    vocabulary: number,
  ): void;
  embed(target: number, table: number, ids: number, rows: number, width: number): void;
  gate(target: number, input: number, rows: number, width: number): void;
  /** The first address after the kernels' own data. */
  firstFree(): number;
  largestTokens(
    tokens: number,
    logprobs: number,
    logits: number,
    stride: number,
    rows: number,
    vocabulary: number,
  ): void;
  normalize(
    target: number,
    targetStride: number,
    input: number,
    inputStride: number,
    weight: number,
    rows: number,
    parts: number,
    width: number,
    epsilon: number,
  ): void;
  pack(panels: number, matrix: number, first: number, rows: number, inner: number): void;
  project(
    target: number,
    input: number,
    panels: number,
    bias: number,
    rows: number,
    inner: number,
    outputs: number,
    accumulate: boolean,
  ): void;
  rememberRows(projected: number, positions: number, tables: number, offset: number, rows: number): void;
  softenRows(
    sums: number,
    logits: number,
    stride: number,
    rows: number,
    vocabulary: number,
    inverseTemperature: number,
  ): void;
}

const WASM_PAGE = 65_536;
/** Wide enough for every vector. */
const ALIGNMENT = 64;

let compiled: WebAssembly.Module | undefined;

/**
 * The kernels with their own memory, which is never freed. Views of the memory are valid until the next `reserve`.
 */
export class Kernels {
  readonly run: KernelFunctions;
  readonly #memory: WebAssembly.Memory;
  #end: number;
  #floats = new Float32Array(0);
  #integers = new Int32Array(0);
  #doubles = new Float64Array(0);

  constructor() {
    compiled ??= new WebAssembly.Module(readFileSync(compiledKernels()));
    this.#memory = new WebAssembly.Memory({ initial: 16 });
    const imports = { env: { memory: this.#memory, abort: () => undefined } };
    this.run = new WebAssembly.Instance(compiled, imports).exports as KernelFunctions;
    this.#end = this.run.firstFree();
    this.#view();
  }

  /** Bytes of its memory. */
  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Address of `bytes` unused bytes, which are zero. */
  reserve(bytes: number): number {
    const address = Math.ceil(this.#end / ALIGNMENT) * ALIGNMENT;
    this.#end = address + bytes;
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) {
      this.#memory.grow(Math.ceil(missing / WASM_PAGE));
      this.#view();
    }
    return address;
  }

  /** `count` numbers at an address. */
  floats(address: number, count: number): Float32Array {
    return this.#floats.subarray(address / 4, address / 4 + count);
  }

  integers(address: number, count: number): Int32Array {
    return this.#integers.subarray(address / 4, address / 4 + count);
  }

  doubles(address: number, count: number): Float64Array {
    return this.#doubles.subarray(address / 8, address / 8 + count);
  }

  /** Copies bytes that may overlap. */
  copy(to: number, from: number, bytes: number): void {
    this.#floats.copyWithin(to / 4, from / 4, (from + bytes) / 4);
  }

  #view(): void {
    const { buffer } = this.#memory;
    this.#floats = new Float32Array(buffer);
    this.#integers = new Int32Array(buffer);
    this.#doubles = new Float64Array(buffer);
  }
}

/** Path of the kernels: next to this file, or in `dist` if this file runs uncompiled. Throws if nothing is built. */
function compiledKernels(): string {
  const found = ['./kernels.wasm', '../../dist/kernels/kernels.wasm']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (!found) throw new Error('the kernels of the policy are not compiled: run `npm run build` first');
  return found;
}
