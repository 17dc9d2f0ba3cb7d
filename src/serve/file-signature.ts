import { stat } from 'node:fs/promises';

/** Changes when one of the files does: their sizes and times of change; a missing one has neither. */
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
