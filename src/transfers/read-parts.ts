import type { Readable } from 'node:stream';

/** Bytes that wait for their reader before the stream is held. */
const mostWaiting = 2 ** 20;

/**
 * The parts of a stream as they come. Unlike the iteration of a stream, it gives all that came before an error: bytes of a
 * download count, also if the connection is cut behind them.
 */
export function readParts(stream: Readable): AsyncIterable<Buffer> {
  const parts: Buffer[] = [];
  let [waiting, hasEnded, wake] = [0, false, () => {}];
  let failure: Error | undefined;
  const end = (error?: Error) => {
    if (!hasEnded) failure = error;
    hasEnded = true;
    wake();
  };
  stream.on('data', (part: Buffer) => {
    parts.push(part);
    waiting += part.length;
    if (waiting > mostWaiting) stream.pause();
    wake();
  });
  stream
    .on('end', () => end())
    .on('error', end)
    .on('close', () => end(new Error('it ended too early')));
  return (async function* () {
    try {
      for (;;) {
        for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
          waiting -= part.length;
          if (waiting <= mostWaiting) stream.resume();
          yield part;
        }
        if (failure !== undefined) throw failure;
        if (hasEnded) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stream.destroy();
    }
  })();
}
