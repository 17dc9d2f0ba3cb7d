import { adapterOf, type OpenedModel } from '../checkpoint/adapter-folder.js';
import { refuseNotFinite } from '../checkpoint/fill-weights.js';
import { mergedSource } from '../checkpoint/merge-adapter.js';
import type { HostTensor, TensorSource } from '../checkpoint/safetensors.js';
import type { Shape } from '../operations/tensor.js';

/**
 * The weights of a whole model, in the order of `shapes`; with factors, the adapter is added to its base. Reading them
 * throws if a number is not finite, or the reason of the signal if it is aborted.
 */
export function wholeWeights(
  { weights, adapter }: Pick<OpenedModel, 'weights' | 'adapter'>,
  shapes: ReadonlyMap<string, Shape>,
  factors: ReadonlyMap<string, HostTensor> | undefined,
  signal: AbortSignal,
): Map<string, TensorSource> {
  const sourceOf = (name: string): TensorSource => {
    const source = checked(name, weights.get(name)!, signal);
    return factors === undefined ? source : mergedSource(name, source, factors, adapterOf(adapter!));
  };
  return new Map([...shapes.keys()].map((name) => [name, sourceOf(name)]));
}

function checked(name: string, source: TensorSource, signal: AbortSignal): TensorSource {
  return {
    shape: source.shape,
    async *pieces() {
      for await (const piece of source.pieces()) {
        signal.throwIfAborted();
        refuseNotFinite(name, piece);
        yield piece;
      }
    },
  };
}
