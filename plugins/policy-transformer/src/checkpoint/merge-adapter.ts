import type { Adapter } from '../model/parameters.js';
import type { HostTensor, TensorSource } from './safetensors.js';

type Tensors = ReadonlyMap<string, HostTensor>;

/** Adds scale * B A to each matrix of the adapter, in place. In DoRA, rows then get their trained lengths. */
export function mergeAdapter(weights: Tensors, factors: Tensors, adapter: Adapter): void {
  for (const [name, { data }] of weights) {
    const merging = mergingOf(factors, name, adapter);
    if (merging === undefined) continue;
    merging.add(data, 0);
    if (merging.magnitudes === undefined) continue;
    const lengths = new RowLengths(merging.inputs, merging.magnitudes);
    lengths.measure(data, 0);
    lengths.set(data, 0);
  }
}

/** Weights with the adapter added, piece by piece. In DoRA the pieces are read twice: for the lengths of rows, and then. */
export function mergedSource(name: string, source: TensorSource, factors: Tensors, adapter: Adapter): TensorSource {
  const merging = mergingOf(factors, name, adapter);
  if (merging === undefined) return source;
  async function* added() {
    let start = 0;
    for await (const piece of source.pieces()) {
      const whole = piece.slice();
      merging!.add(whole, start);
      yield { whole, start };
      start += piece.length;
    }
  }
  return {
    shape: source.shape,
    async *pieces() {
      const lengths = merging.magnitudes && new RowLengths(merging.inputs, merging.magnitudes);
      if (lengths) for await (const { whole, start } of added()) lengths.measure(whole, start);
      for await (const { whole, start } of added()) {
        lengths?.set(whole, start);
        yield whole;
      }
    },
  };
}

/** Gives the rows of a matrix, which comes in pieces, other lengths. */
class RowLengths {
  readonly #inputs: number;
  readonly #magnitudes: Float32Array;
  readonly #squares: Float64Array;

  constructor(inputs: number, magnitudes: Float32Array) {
    this.#inputs = inputs;
    this.#magnitudes = magnitudes;
    this.#squares = new Float64Array(magnitudes.length);
  }

  /** Numbers of the matrix from `start` on. Every number once. */
  measure(numbers: Float32Array, start: number): void {
    for (const [index, number] of numbers.entries()) this.#squares[this.#row(start + index)]! += number * number;
  }

  set(numbers: Float32Array, start: number): void {
    for (let index = 0; index < numbers.length; index += 1) {
      const row = this.#row(start + index);
      numbers[index]! *= this.#magnitudes[row]! / Math.sqrt(this.#squares[row]!);
    }
  }

  #row(place: number): number {
    return Math.floor(place / this.#inputs);
  }
}

/** What an adapter does to one matrix. */
interface Merging {
  readonly inputs: number;
  /** Adds scale * B A to the numbers of the matrix from `start` on. */
  readonly add: (numbers: Float32Array, start: number) => void;
  /** Lengths of the rows, in DoRA. */
  readonly magnitudes: Float32Array | undefined;
}

/** `undefined` if the adapter does not have the matrix. */
function mergingOf(factors: Tensors, name: string, { rank, scale }: Adapter): Merging | undefined {
  const module = name.replace(/\.weight$/, '');
  const [down, up] = ['A', 'B'].map((factor) => factors.get(`${module}.lora_${factor}.weight`));
  if (down === undefined || up === undefined) return undefined;
  const inputs = down.shape[1]!;
  const row = new Float64Array(inputs);
  let computed = -1;
  const computeRow = (output: number): void => {
    row.fill(0);
    for (let r = 0; r < rank; r += 1) {
      const factor = scale * up.data[output * rank + r]!;
      for (let input = 0; input < inputs; input += 1) row[input]! += factor * down.data[r * inputs + input]!;
    }
    computed = output;
  };
  const add: Merging['add'] = (numbers, start) => {
    for (let index = 0; index < numbers.length; index += 1) {
      const output = Math.floor((start + index) / inputs);
      if (output !== computed) computeRow(output);
      numbers[index]! += row[(start + index) % inputs]!;
    }
  };
  return { inputs, add, magnitudes: factors.get(`${module}.lora_magnitude_vector`)?.data };
}
