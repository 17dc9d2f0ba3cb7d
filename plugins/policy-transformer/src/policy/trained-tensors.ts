import { pieceLength, type TensorSource } from '../checkpoint/safetensors.js';
import type { StateType } from '../executors/state.js';
import type { StoredType } from '../operations/half-floats.js';
import { elementCount } from '../operations/shapes.js';
import type { Shape } from '../operations/tensor.js';
import type { Engine } from '../worker/engine.js';

/** How the types of state are stored. */
const STORED = { float32: 'F32', bfloat16: 'BF16' } as const satisfies Record<StateType, StoredType>;

/** A trainable weight or a moment of the first core. Its numbers cross threads in pieces, so no second copy exists. */
export function trainedTensor(engine: Engine, name: string, shape: Shape, type: StateType): TensorSource {
  const length = elementCount(shape);
  return {
    shape,
    type: STORED[type],
    async *pieces() {
      for (let start = 0; start < length; start += pieceLength) {
        yield await engine.call(0, 'read', [name, start, Math.min(pieceLength, length - start)]);
      }
    },
  };
}

/** Replaces the moments of the first core's optimizer. Throws if one is missing or has another length. */
export async function writeMoments(engine: Engine, saved: ReadonlyMap<string, TensorSource>): Promise<void> {
  const state = await engine.call(0, 'optimizerState', []);
  const wanted = [...(state?.moments ?? [])].map(([name, { shape }]) => {
    const source = saved.get(name);
    const count = elementCount(shape);
    if (source === undefined || elementCount(source.shape) !== count) {
      throw new Error(`the optimizer's state has no ${name} of ${count} numbers`);
    }
    return { name, source };
  });
  for (const { name, source } of wanted) {
    let start = 0;
    for await (const piece of source.pieces()) {
      await engine.call(0, 'writeMoment', [name, piece, start]);
      start += piece.length;
    }
  }
}
