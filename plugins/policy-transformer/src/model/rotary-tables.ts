import type { DecoderConfig, Rope } from './decoder-config.js';

/** Cosines and sines of rotary angles, [positions, headWidth / 2]. */
export interface RotaryTables {
  readonly cos: Float32Array;
  readonly sin: Float32Array;
}

/**
 * Tables for positions 0 to `positions` - 1, rounded where Hugging Face's implementation rounds to float32. Without a
 * rope every angle is 0, which changes no bit of what is rotated.
 */
export function rotaryTables(
  { headWidth }: Pick<DecoderConfig, 'headWidth'>,
  rope: Rope | undefined,
  positions: number,
): RotaryTables {
  const frequencies = rope ? rotaryFrequencies(headWidth, rope) : new Float32Array(headWidth / 2);
  const cos = new Float32Array(positions * frequencies.length);
  const sin = new Float32Array(cos.length);
  for (let position = 0; position < positions; position++) {
    for (const [index, frequency] of frequencies.entries()) {
      const angle = Math.fround(position * frequency);
      cos[position * frequencies.length + index] = Math.cos(angle);
      sin[position * frequencies.length + index] = Math.sin(angle);
    }
  }
  return { cos, sin };
}

/** [headWidth / 2] radians per position, in descending order. */
function rotaryFrequencies(headWidth: number, { theta, scaling }: Rope): Float32Array {
  const frequencies = Float32Array.from({ length: headWidth / 2 }, (_, index) => theta ** ((-2 * index) / headWidth));
  if (scaling === undefined) return frequencies;
  const { factor, lowFrequencyFactor, highFrequencyFactor, originalMaxPositions } = scaling;
  // Llama 3.1 stretches slow angles, keeps fast ones, and blends angles in between (transformers,
  // modeling_rope_utils.py).
  return frequencies.map((frequency) => {
    const turns = (originalMaxPositions * frequency) / (2 * Math.PI);
    const kept = (turns - lowFrequencyFactor) / (highFrequencyFactor - lowFrequencyFactor);
    const blend = Math.min(1, Math.max(0, kept));
    return (1 - blend) * (frequency / factor) + blend * frequency;
  });
}
