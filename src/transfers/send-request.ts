import http from 'node:http';
import https from 'node:https';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import { FailedRequest, readNodeError } from './failed-request.js';
import { readParts } from './read-parts.js';

/** What is sent: one request, without redirects. */
export interface Sent {
  readonly method: string;
  readonly headers: Headers;
  readonly body: RequestInit['body'];
}

/** The head of an answer, and its body as it comes, unpacked. */
export interface WireAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: AsyncIterable<Buffer>;
}

const decoders: { readonly [encoding: string]: () => Transform } = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Sends a request with node:http, because some servers refuse clients that look like browsers, as the built-in fetch
 * does. A kept connection that the server has just closed is replaced once, unless the request may change something.
 */
export async function sendRequest(url: URL, sent: Sent, signal: AbortSignal): Promise<WireAnswer> {
  try {
    return await sendOnce(url, sent, signal);
  } catch (error) {
    if (!(error instanceof ClosedConnection) || !['GET', 'HEAD'].includes(sent.method)) throw error;
    return sendOnce(url, sent, signal);
  }
}

/** A kept connection was closed before any byte of an answer. */
class ClosedConnection extends Error {}

function sendOnce(url: URL, { body, headers, method }: Sent, signal: AbortSignal): Promise<WireAnswer> {
  const size = sizeOfBody(body);
  const own = new Headers(headers);
  if (size !== undefined) own.set('content-length', String(size));
  if (body instanceof Blob && body.type !== '' && !own.has('content-type')) own.set('content-type', body.type);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers: Object.fromEntries(own), signal });
    sending.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = sending.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      reject(isClosed ? new ClosedConnection('the connection was closed', { cause: error }) : error);
    });
    sending.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new FailedRequest('malformed', `${url.host} wants to speak another protocol`));
    });
    sending.on('response', (response) => {
      try {
        resolve(readHead(url, response));
      } catch (error) {
        response.destroy();
        reject(readNodeError(error, url.host));
      }
    });
    const bytes = bytesOfBody(body);
    if (bytes !== undefined || body === undefined || body === null) sending.end(bytes);
    else {
      const parts = (body instanceof Blob ? body.stream() : body) as unknown as AsyncIterable<Uint8Array>;
      pipeline(parts, sending, (error) => error && reject(error));
    }
  });
}

function readHead(url: URL, response: http.IncomingMessage): WireAnswer {
  const headers = new Headers();
  for (let i = 0; i + 1 < response.rawHeaders.length; i += 2) {
    try {
      headers.append(response.rawHeaders[i]!, response.rawHeaders[i + 1]!);
    } catch {
      // A header that no program could read.
    }
  }
  const { statusCode: status = 0, statusMessage = '' } = response;
  if (status < 200 || status > 599) {
    throw new FailedRequest('malformed', `${url.host} answered with the status ${status}, which does not exist`);
  }
  const statusText = statusMessage.replace(/[^\t\x20-\x7e]/g, ' ');
  return { status, headers, statusText, body: unpacked(url, response, headers) };
}

/** The body without its content encoding; the headers then tell nothing of it. */
function unpacked(url: URL, response: http.IncomingMessage, headers: Headers) {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return readParts(response);
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decoder === undefined) {
    throw new FailedRequest('malformed', `${url.host} sent a body in an encoding that was not requested`);
  }
  headers.delete('content-encoding');
  headers.delete('content-length');
  // An error of one stream becomes that of the last one.
  return readParts(pipeline(response, decoder(), () => undefined));
}

/** Bytes of a body; undefined if it is none, or a stream. */
export function sizeOfBody(body: RequestInit['body']): number | undefined {
  if (body instanceof Blob) return body.size;
  return bytesOfBody(body)?.length;
}

function bytesOfBody(body: RequestInit['body']): Buffer | undefined {
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof URLSearchParams) return Buffer.from(body.toString());
  if (body instanceof ArrayBuffer) return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return undefined;
}
