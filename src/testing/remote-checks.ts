// Checks of what asks a server, without one: text players and token samplers.
import type { Awaitable } from '../contracts/environment.js';
import { isUnavailable } from '../errors/is-unavailable.js';
import { messageOf } from '../errors/message-of.js';
import { DeadlineError, withinDeadline } from '../errors/within-deadline.js';
import type { KitCheck, KitSettings } from './conformance-kit.js';
import { firstFound, notJson } from './findings.js';
import { freedTwice } from './open-resources.js';

export interface RemoteCheckSettings extends KitSettings {
  /** Maximum seconds until a call gives up on a server that is down. */
  readonly secondsPerCall?: number;
}

/** An address where nobody listens: no service has this port, and `fetch` does not refuse it. */
export const EMPTY_ADDRESS = 'http://127.0.0.1:4';

/** A call that asks the server. */
interface RemoteCall {
  readonly name: string;
  /** It can only be made after others, which need a server. */
  readonly isLater?: boolean;
  readonly call: (signal: AbortSignal) => Awaitable<unknown>;
}

/** The argument of every check. */
export interface RemoteContext {
  readonly calls: readonly RemoteCall[];
  readonly settings: RemoteCheckSettings;
  /** What is written into files as JSON, by the name of its function. */
  readonly facts: { readonly [name: string]: unknown };
  readonly create: () => Promise<{ dispose?(): Awaitable<void> }>;
}

/** The answer of a call, or what it throws. */
const outcomeOf = ({ name, call }: RemoteCall, seconds: number, signal: AbortSignal) =>
  withinDeadline(name, 1_000 * seconds, () => call(signal)).then(
    (answer) => ({ answer: JSON.stringify(answer) ?? 'nothing', error: undefined }),
    (error: unknown) => ({ answer: undefined, error }),
  );

export const remoteChecks: readonly KitCheck<RemoteContext>[] = [
  {
    id: 'server-down',
    title: 'a call throws an error with the code UNAVAILABLE if the server is down, and answers nothing',
    cure: 'Throw an error with `code: "UNAVAILABLE"` and a message that names the address, after a few retries at most.',
    run: ({ calls, settings: { secondsPerCall = 60 } }) =>
      firstFound(calls, async (one) => {
        if (one.isLater === true) return undefined;
        const { answer, error } = await outcomeOf(one, secondsPerCall, new AbortController().signal);
        if (answer !== undefined) return `nobody listens, and ${one.name} answered ${answer}`;
        return isUnavailable(error)
          ? undefined
          : `the error of ${one.name} has no code UNAVAILABLE: ${messageOf(error)}`;
      }),
  },
  {
    id: 'interrupted',
    title: 'a call ends soon after its signal is aborted',
    cure: 'Pass the signal to every request and every pause.',
    run: ({ calls }) =>
      firstFound(calls, async (one) => {
        const { answer, error } = await outcomeOf(one, 2, AbortSignal.abort(new Error('enough')));
        if (answer !== undefined) return `${one.name} answered ${answer} although its signal was aborted`;
        return error instanceof DeadlineError ? `although its signal was aborted, ${error.message}` : undefined;
      }),
  },
  {
    id: 'facts',
    title: 'describe() and usage() give JSON',
    cure: 'Return plain JSON: no undefined, no dates, only finite numbers.',
    run: ({ facts }) => Object.entries(facts).map(([name, value]) => notJson(value, name)),
  },
  {
    id: 'dispose-twice',
    title: 'dispose() may be called twice, also while the server is down',
    cure: 'Let the second call do nothing, and ignore errors of the server there.',
    run: async ({ create }) => {
      const made = await create();
      return freedTwice('dispose', () => made.dispose?.());
    },
  },
];
