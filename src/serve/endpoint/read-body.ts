import type { IncomingMessage } from 'node:http';

import type { FairShare } from './fair-share.js';
import { RequestError } from './request-error.js';

/** Bytes of the largest body. */
export const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The bytes of a body, which may be sent to another thread.
 *
 * @param memory bytes of all bodies that are being received
 * @throws RequestError
 */
export async function readBody(
  incoming: IncomingMessage,
  client: unknown,
  memory: FairShare,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () => new RequestError(413, `the body has more than ${MOST_BYTES} bytes`);
  if (Number(incoming.headers['content-length'] ?? 0) > MOST_BYTES) throw tooLarge();
  const parts: Buffer[] = [];
  let length = 0;
  try {
    // The answer to a body that is refused leaves on the same connection.
    for await (const part of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (length + part.length > MOST_BYTES) throw tooLarge();
      if (!memory.take(client, part.length)) {
        const details = { code: 'rate_limit_exceeded', retryAfter: 1 };
        throw new RequestError(429, 'too many large bodies are being received', details);
      }
      length += part.length;
      parts.push(part);
    }
    // Node.js may share the memory of a buffer.
    return new Uint8Array(Buffer.concat(parts));
  } finally {
    memory.giveBack(client, length);
  }
}
