import { stat } from 'node:fs/promises';

/** Changes when one of the files changes. It has their sizes and modification times; a missing file has neither. */
export async function fileSignature(paths: readonly string[]): Promise<string> {
  const parts = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size, mtimeMs, ino }) => `${size}:${mtimeMs}:${ino}`,
        () => '-',
      ),
    ),
  );
  return parts.join(' ');
}

/** Keeps what was read of files, and reads it again only if one of them has changed. */
export class ReadOnChange<Value> {
  readonly #known = new Map<string, { readonly signature: string; readonly value: Value }>();

  /** @param files the first one names what is read */
  async read(files: readonly [string, ...string[]], read: () => Promise<Value>): Promise<Value> {
    const signature = await fileSignature(files);
    const known = this.#known.get(files[0]);
    if (known?.signature === signature) return known.value;
    const value = await read();
    this.#known.set(files[0], { signature, value });
    return value;
  }
}
