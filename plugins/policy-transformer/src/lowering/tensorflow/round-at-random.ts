import type { TensorFlowEmitter } from './tensorflow-emitter.js';

const T = { type: 'float32' } as const;
const INDEX = { type: 'int32' } as const;
const BITS = { type: 'uint32' } as const;
const BRAIN = { type: 'bfloat16' } as const;

/**
 * Rounds float32 numbers [n, 1] to bfloat16: up with the probability that makes the mean exact. A number that bfloat16
 * has stays as it is. The random bits of a number are a hash of its place and the seed.
 * @param scalars the place of the first number, how many there are, and the seed, int32 each
 */
export function roundAtRandom(
  emit: TensorFlowEmitter,
  value: string,
  { first, count, seed }: { readonly first: string; readonly count: string; readonly seed: string },
): string {
  const unsigned = (of: string) => emit.node('Bitcast', [of], { T: INDEX, type: BITS });
  const number = (of: number) => unsigned(emit.constant(Int32Array.of(of), []));
  const mixed = (operator: string, a: string, b: string) => emit.node(operator, [a, b], { T: BITS });
  const shifted = (of: string, bits: number) => mixed('RightShift', of, number(bits));
  const mix = (hash: string, bits: number, factor: number) =>
    mixed('Mul', mixed('BitwiseXor', hash, shifted(hash, bits)), number(factor));

  const end = emit.node('AddV2', [first, count], { T: INDEX });
  const places = unsigned(emit.node('Range', [first, end, emit.integer(1)], { Tidx: INDEX }));
  // The mixing of MurmurHash3 (smhasher, MurmurHash3.cpp: fmix32).
  const keyed = mixed('BitwiseXor', places, mixed('Mul', unsigned(seed), number(0x9e3779b1)));
  const hash = mix(mix(keyed, 16, 0x85ebca6b), 13, 0xc2b2ae35);
  const low = mixed('BitwiseAnd', mixed('BitwiseXor', hash, shifted(hash, 16)), number(0xffff));
  const added = emit.node('Reshape', [low, emit.integers([-1, 1])], { T: BITS, Tshape: INDEX });
  const bits = emit.node('Bitcast', [value], { T, type: BITS });
  const upper = emit.node('BitwiseAnd', [mixed('AddV2', bits, added), number(-0x10000)], { T: BITS });
  // A number of bfloat16, whose lower half is 0: the cast does not round.
  const rounded = emit.node('Cast', [emit.node('Bitcast', [upper], { T: BITS, type: T })], { SrcT: T, DstT: BRAIN });
  // A sum could make a NaN infinite, or another number.
  const plain = emit.node('Cast', [value], { SrcT: T, DstT: BRAIN });
  return emit.node('SelectV2', [emit.node('IsFinite', [value], { T }), rounded, plain], { T: BRAIN });
}
