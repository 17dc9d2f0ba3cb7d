/** What TensorFlow, ONNX Runtime, CUDA and WebGPU say when a device has no memory left. */
const SIGNS = /out of memory|OOM when allocating|RESOURCE_EXHAUSTED|failed to allocate memory|CUDA failure 2\b/i;

export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && SIGNS.test(error.message);
}

/** Says which option needs less memory. */
export function outOfMemory(cause: unknown, cure: string): Error {
  const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
  return new Error(`the engine has no memory left. ${cure} (${reason!.slice(0, 200)})`, { cause });
}

/**
 * Does a part of the work, and in two halves if the memory does not suffice. Throws what `outOfMemory` says if one half
 * is too much, too, or if there are no halves.
 * @param items work of which nothing is done if it fails
 * @param unit only multiples of it can be parted
 */
export async function halveIfTooMuch<Item>(
  items: readonly Item[],
  unit: number,
  cure: string,
  work: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  try {
    await work(items);
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    const middle = unit * Math.floor(items.length / unit / 2);
    if (middle === 0) throw outOfMemory(error, cure);
    for (const half of [items.slice(0, middle), items.slice(middle)]) {
      await work(half).catch((again: unknown) => {
        throw isOutOfMemory(again) ? outOfMemory(again, cure) : again;
      });
    }
  }
}
