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
