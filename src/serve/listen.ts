import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { AgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';

/** Returns the port. Throws AG_SERVE_FAILED if it cannot listen. */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(port, host, () => done());
  }).catch((error: NodeJS.ErrnoException) => {
    const isTaken = error.code === 'EADDRINUSE';
    throw new AgentgymError('AG_SERVE_FAILED', {
      message: `Could not listen on ${host}, port ${port}: ${isTaken ? 'another program uses it' : systemReason(error)}.`,
      ...(isTaken && { hint: 'Choose another `--port`, or 0 for any free port.' }),
      cause: error,
    });
  });
  return (server.address() as AddressInfo).port;
}

/** The address for programs of this machine: one that means all interfaces cannot be opened. */
export function addressFor(host: string, port: number): string {
  const named = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${named.includes(':') ? `[${named}]` : named}:${port}`;
}
