// Weights that know nothing, for measurements of speed and memory.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** Uniform numbers in [-1, 1), from a linear congruential generator: only their spread matters here. */
export function uniformNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Writes random tensors as bfloat16 in a safetensors file, one after the other, so that little memory is used. */
export async function writeWeights(path, shapes) {
  const header = { __metadata__: { format: 'pt' } };
  let offset = 0;
  for (const [name, shape] of shapes) {
    const bytes = 2 * shape.reduce((product, size) => product * size, 1);
    header[name] = { dtype: 'BF16', shape, data_offsets: [offset, (offset += bytes)] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const stream = createWriteStream(path);
  stream.write(length);
  stream.write(text);
  const next = uniformNumbers(1);
  for (const [name, shape] of shapes) {
    const count = shape.reduce((product, size) => product * size, 1);
    const scale = shape.length === 2 ? Math.sqrt(3 / shape[1]) : 0;
    const middle = name.endsWith('norm.weight') ? 1 : 0;
    for (let start = 0; start < count; start += 2 ** 20) {
      const part = Float32Array.from({ length: Math.min(2 ** 20, count - start) }, () => middle + scale * next());
      const bits = new Uint16Array(part.buffer).filter((_, index) => index % 2 === 1);
      if (!stream.write(Buffer.from(bits.buffer))) await once(stream, 'drain');
    }
  }
  stream.end();
  await once(stream, 'finish');
}
