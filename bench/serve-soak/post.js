import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/** Sends bytes, and resolves with the status and the text of the answer. Rejects if there is no whole answer. */
export function post(url, path, bytes) {
  const { hostname, pathname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
    const options = { agent, hostname, port, path: `${pathname}${path}`, method: 'POST', headers };
    const outgoing = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', reject);
    });
    // A connection that waited may be closed by the server just as it is used again.
    outgoing.on('error', (error) => {
      if (outgoing.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code))
        post(url, path, bytes).then(resolve, reject);
      else reject(error);
    });
    outgoing.end(bytes);
  });
}
