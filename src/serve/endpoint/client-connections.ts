import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { isLoopback } from '../guard-request.js';

/** What a connection does. Those that only wait for their client make room for others. */
type Doing = 'idle' | 'sending' | 'resting' | 'working';

/** Connections at the same time. */
const MOST_CONNECTIONS = 1024;
/** In this order they are closed for a new one. */
const WAITING: readonly Doing[] = ['idle', 'sending', 'resting'];

/** The connections of a server, of which one that waits for its client is closed when there are too many. */
export class ClientConnections {
  readonly #doing = new Map<Socket, Doing>();
  readonly #most: number;

  constructor(server: Server, most = MOST_CONNECTIONS) {
    this.#most = most;
    server.on('connection', (socket) => this.#admit(socket));
  }

  /** Says what the connection of a request does. It is idle after the answer. */
  mark({ socket }: IncomingMessage, doing: Exclude<Doing, 'idle'>): void {
    if (this.#doing.has(socket)) this.#doing.set(socket, doing);
  }

  /** The connection is idle when the answer has left. */
  follow(incoming: IncomingMessage, response: ServerResponse): void {
    const { socket } = incoming;
    this.mark(incoming, 'sending');
    response.on('close', () => {
      if (this.#doing.has(socket)) this.#doing.set(socket, 'idle');
    });
  }

  #admit(socket: Socket): void {
    this.#doing.set(socket, 'idle');
    socket.on('close', () => this.#doing.delete(socket));
    if (this.#doing.size <= this.#most) return;
    // The oldest of them; the new one if all others work.
    const waiting = WAITING.flatMap((doing) => [...this.#doing].filter(([, own]) => own === doing));
    (waiting[0]?.[0] ?? socket).destroy();
  }
}

/**
 * Who shares the server with others: an address of the network. Programs of this machine have one address, so each of their
 * connections counts by itself.
 */
export function clientOf({ socket }: IncomingMessage): unknown {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return address === '' || isLoopback(address) ? socket : address;
}
