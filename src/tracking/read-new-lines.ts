import { AgentgymError } from '../errors/agentgym-error.js';
import { openRegularFile } from '../files/open-regular-file.js';

/** Bytes that are read at once, so that a long log does not lie in memory as a whole. */
const chunkBytes = 1 << 20;

/**
 * The next whole lines of a JSONL file from a byte on; none if the file does not exist yet.
 *
 * @throws AG_RUN_DAMAGED for a line that is not JSON
 */
export async function readNewLines(
  path: string,
  from: number,
): Promise<{ readonly documents: { readonly [key: string]: unknown }[]; readonly end: number }> {
  const file = await openRegularFile(path).catch(() => undefined);
  if (file === undefined) return { documents: [], end: from };
  try {
    for (let size = chunkBytes; ; size *= 2) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, from);
      const length = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
      // A line may be longer than a chunk. An incomplete last line is not finished yet.
      if (length === 0 && bytesRead === size) continue;
      const lines = buffer.toString('utf8', 0, length).split('\n').slice(0, -1);
      return { documents: lines.map((line) => parseLine(line, path)), end: from + length };
    }
  } finally {
    await file.close();
  }
}

function parseLine(line: string, path: string): { readonly [key: string]: unknown } {
  try {
    return JSON.parse(line) as { readonly [key: string]: unknown };
  } catch (error) {
    throw new AgentgymError('AG_RUN_DAMAGED', {
      message: `A line of ${path} is not JSON.`,
      file: path,
      cause: error,
    });
  }
}
