/*
 * GGUF has what Llama 3.1 does to its rotary angles as a tensor, `rope_freqs.weight`: what the angle of each pair is divided by.
 * config.json has four numbers from which it is computed.
 */
import type { Rope } from '../../model/decoder-config.js';

type Scaling = NonNullable<Rope['scaling']>;

/** What the angles of each pair are divided by (`rope_type: llama3`). */
export function ropeFactors({ scaling, theta }: Required<Rope>, headWidth: number): Float32Array {
  const { factor, highFrequencyFactor, lowFrequencyFactor, originalMaxPositions } = scaling;
  return Float32Array.from({ length: headWidth / 2 }, (_, pair) => {
    const turns = originalMaxPositions / (2 * Math.PI * theta ** ((2 * pair) / headWidth));
    if (turns > highFrequencyFactor) return 1;
    if (turns < lowFrequencyFactor) return factor;
    const smooth = (turns - lowFrequencyFactor) / (highFrequencyFactor - lowFrequencyFactor);
    return 1 / ((1 - smooth) / factor + smooth);
  });
}

/** The context lengths before stretching among which a file's is found. Llama 3.1, 3.2 and 3.3 have 8,192. */
const originals = [8192, ...Array.from({ length: 17 }, (_, index) => 16 * 2 ** index)];

/**
 * The numbers of config.json that give these factors; undefined if all are 1. Throws if the factors are of another kind. As in all
 * models of Llama 3, the low and the high frequency factor are 1 and 4.
 */
export function scalingOf(factors: Float32Array, theta: number, headWidth: number): Scaling | undefined {
  if (factors.length === headWidth / 2) {
    if (factors.every((one) => one === 1)) return undefined;
    for (const originalMaxPositions of originals) {
      const factor = Math.max(...factors);
      const scaling: Scaling = {
        kind: 'llama3',
        ...{ factor, lowFrequencyFactor: 1, highFrequencyFactor: 4, originalMaxPositions },
      };
      const computed = ropeFactors({ scaling, theta }, headWidth);
      // Converters compute in float32 or float64, so the last digits differ.
      if (computed.every((one, pair) => Math.abs(one / factors[pair]! - 1) < 1e-5)) return scaling;
    }
  }
  throw new Error(
    `this GGUF file cannot be read: rope_freqs.weight is not the scaling of Llama 3 with the frequency factors 1 and 4`,
  );
}
