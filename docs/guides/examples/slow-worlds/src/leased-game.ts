import { setTimeout as wait } from 'node:timers/promises';

import type { Call, EnvironmentHost, World } from '@agentgym/cli';

import {
  guessingGame,
  guessOf,
  nextGuess,
  type Opening,
  openingOf,
  type Position,
  stepResult,
} from './guessing-game.js';
import type { LeasedGameOptions } from './options.js';

const HTTP_TOO_MANY = 429;
const HTTP_UNAVAILABLE = 503;

interface Answer {
  readonly status: number;
  readonly body: Partial<Lease> & { readonly error?: string };
}

interface Lease {
  readonly lease: string;
  readonly position: Position;
}

/** Every episode holds a lease on a game of a server, from `reset` until it ends. */
export async function open({ url }: LeasedGameOptions, host: EnvironmentHost): Promise<World> {
  const ask = (method: string, path: string, call: Call, body?: object) =>
    askServer(method, new URL(path, url), call, body);
  // Fails here if there is no server, instead of in the first episodes.
  await ask('GET', '/', host);

  return {
    ...guessingGame,
    create() {
      let lease: string | undefined;
      let opening: Opening;
      let position: Position;

      async function giveBack(call: Call): Promise<void> {
        const given = lease;
        lease = undefined;
        if (given !== undefined) await ask('DELETE', `/lease/${given}`, call);
      }

      return {
        async reset(task, call) {
          opening = openingOf(task, call.random);
          await giveBack(call);
          ({ lease, position } = await takeLease(opening, call));
          return position.observation;
        },
        async step(action, call) {
          if (lease === undefined) throw new Error('there is no game: it has ended');
          const { body } = await ask('POST', `/lease/${lease}/step`, call, guessOf(action));
          position = whole(body).position;
          if (position.over) await giveBack(call);
          return stepResult(position);
        },
        act: (player, { random }) => nextGuess(player, random, opening, position),
        async conclude(_cause, call) {
          await giveBack(call);
          const { reward, facts } = stepResult(position);
          return { reward, facts };
        },
        async dispose() {
          // A lease that cannot be given back runs out by itself.
          await giveBack({ signal: AbortSignal.timeout(5000) }).catch(() => undefined);
        },
      };
    },
  };

  /** Waits while all games are taken: by other users, or by leases of a run that was killed. */
  async function takeLease(opening: Opening, call: Call): Promise<Lease> {
    for (;;) {
      const { status, body } = await ask('POST', '/lease', call, opening);
      if (status !== HTTP_TOO_MANY) return whole(body);
      await wait(100, undefined, { signal: call.signal });
    }
  }
}

/** If the server refuses a question, the episode fails and is played again. */
function whole({ lease, position, error }: Answer['body']): Lease {
  if (lease === undefined || position === undefined) throw new Error(`the server: ${error ?? 'no position'}`);
  return { lease, position };
}

async function askServer(method: string, url: URL, { signal }: Call, body?: object): Promise<Answer> {
  let answer: Answer;
  try {
    const response = await fetch(url, { method, signal, ...(body && { body: JSON.stringify(body) }) });
    answer = { status: response.status, body: (await response.json()) as Answer['body'] };
  } catch (error) {
    // The time of the call is up. That fails one episode and says nothing about the server.
    if (signal.aborted) throw error;
    throw unavailable(`${url.origin} does not answer: ${reasonOf(error)}`);
  }
  if (answer.status === HTTP_UNAVAILABLE)
    throw unavailable(`${url.origin} cannot serve now: ${answer.body.error ?? ''}`);
  return answer;
}

/** The world itself is down: the run ends here, and can be resumed when it is up again. */
function unavailable(message: string): Error {
  return Object.assign(new Error(message), { code: 'UNAVAILABLE' });
}

/** The cause of an error of `fetch` says what went wrong. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
