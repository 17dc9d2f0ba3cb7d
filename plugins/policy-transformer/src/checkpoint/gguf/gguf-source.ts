import type { OutsideFiles } from '@agentgym/cli';

import { elementCount } from '../../operations/shapes.js';
import { refuseNotFinite } from '../fill-weights.js';
import { readFully } from '../safetensors-header.js';
import { pieceLength, type TensorSource } from '../safetensors.js';
import { dequantize } from './dequantize.js';
import type { GgufEntry } from './gguf-header.js';

/** A tensor of a GGUF file, which is read when it is wanted. Numbers of 16 bits stay as they are; others become float32. */
export function ggufSource(files: OutsideFiles, path: string, { name, shape, start, type }: GgufEntry): TensorSource {
  const length = elementCount(shape);
  return {
    shape,
    ...((type.name === 'F16' || type.name === 'BF16') && { type: type.name }),
    async *pieces() {
      const file = await files.open(path);
      try {
        for (let done = 0; done < length; done += pieceLength) {
          // A piece has whole blocks: its length is a power of two.
          const numbers = new Float32Array(Math.min(pieceLength, length - done));
          const bytes = new Uint8Array((numbers.length / type.length) * type.bytes);
          await readFully(file, bytes, start + (done / type.length) * type.bytes, path);
          dequantize(type, bytes, numbers);
          refuseNotFinite(`${path}: ${name}`, numbers);
          yield numbers;
        }
      } finally {
        await file.close();
      }
    },
  };
}
