/** What TensorFlow, ONNX Runtime, CUDA and WebGPU say when a device has no memory left. */
const SIGNS = /out of memory|OOM when allocating|RESOURCE_EXHAUSTED|failed to allocate memory|CUDA failure 2\b/i;

function isOutOfMemory(error: unknown): error is Error {
  return error instanceof Error && SIGNS.test(error.message);
}

/** Does work. If the memory does not suffice, the error says which option needs less. */
export async function withCure<Result>(cure: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    const [reason] = error.message.split('\n', 1) as [string];
    throw new Error(`the engine has no memory left. ${cure} (${reason.slice(0, 200)})`, { cause: error });
  }
}

/**
 * Does a part of the work, and in two halves if the memory does not suffice. Throws what `withCure` throws if one half
 * is too much, too, or if there are no halves.
 * @param items work of which nothing is done if it fails
 */
export function halveIfTooMuch<Item>(
  items: readonly Item[],
  cure: string,
  work: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  return withCure(cure, async () => {
    try {
      await work(items);
    } catch (error) {
      const middle = Math.floor(items.length / 2);
      if (!isOutOfMemory(error) || middle === 0) throw error;
      await work(items.slice(0, middle));
      await work(items.slice(middle));
    }
  });
}
