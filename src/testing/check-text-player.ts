import type { PlayerContext, PlayerModule, PlayerTurn, TextPlayer } from '../contracts/player.js';
import { messageOf } from '../errors/message-of.js';
import { isUnavailable } from '../errors/is-unavailable.js';
import { DeadlineError, withinDeadline } from '../errors/within-deadline.js';
import { declareKit, findingsOf, type KitCheck, type KitReport, type KitSettings, runKit } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import type { Finding } from './finding.js';
import { isJson } from './is-json.js';
import { quietly } from './quietly.js';
import { requireMembers } from './require-members.js';
import { testHost } from './test-host.js';

/** A player for the kit: its module, and options to test it with. */
export interface TextPlayerSubject<Options> extends PlayerModule<Options> {
  readonly options: Options;
}

export interface TextPlayerCheckSettings extends KitSettings {
  /** An address where nobody listens. Default: a port of this machine. */
  readonly emptyAddress?: string;
  /** Maximum seconds until a player gives up on a server that is down. */
  readonly secondsPerCall?: number;
}

/** The argument of every check of a player. */
interface TextPlayerCheckContext {
  readonly player: TextPlayer;
  readonly create: () => Promise<TextPlayer>;
  readonly millisecondsPerCall: number;
}

/** No service has this port, and `fetch` does not refuse it. */
const EMPTY_ADDRESS = 'http://127.0.0.1:4';

const turn: PlayerTurn = {
  task: 'task',
  system: 'Guess my number.',
  observations: ['Guess a number between 1 and 9.'],
  texts: [],
  random: testHost().random,
  admissible: () => Promise.resolve(undefined),
};

export const textPlayerChecks: readonly KitCheck<TextPlayerCheckContext>[] = [
  {
    id: 'server-down',
    title: 'it throws an error with the code UNAVAILABLE if its server is down, and writes no text',
    severity: 'error',
    likelyCause: 'an error of the connection is caught, retried without an end, or thrown without the code',
    why: 'A text that no model wrote would be played and counted, or every episode would fail one by one.',
    cure: 'Throw an error with `code: "UNAVAILABLE"` and a message that names the address, after a few retries at most.',
    run: async ({ player, millisecondsPerCall }) => {
      const silent = new AbortController().signal;
      try {
        const answer = await withinDeadline('act()', millisecondsPerCall, () => player.act(turn, silent));
        return [`nobody listens, and act() answered ${JSON.stringify(answer)}`];
      } catch (error) {
        return isUnavailable(error) ? [] : [`the error has no code UNAVAILABLE: ${messageOf(error)}`];
      }
    },
  },
  {
    id: 'interrupted',
    title: 'it ends a call soon after its signal is aborted',
    severity: 'error',
    likelyCause: 'the signal is not passed to requests and to pauses between them',
    why: 'Ctrl-C would seem not to work.',
    cure: 'Pass the signal to every request and every pause.',
    run: async ({ player }) => {
      try {
        await withinDeadline('an aborted call', 2_000, () => player.act(turn, AbortSignal.abort(new Error('enough'))));
        return ['act() answered although its signal was aborted'];
      } catch (error) {
        return error instanceof DeadlineError ? [error.message] : [];
      }
    },
  },
  {
    id: 'facts',
    title: 'describe() and usage() give JSON, and it plays at least one episode at a time',
    severity: 'error',
    likelyCause: 'a fact is undefined, a date or a number that is not finite',
    why: 'Results could not be written.',
    cure: 'Return plain JSON.',
    run: ({ player }) => {
      const { concurrency } = player;
      return [
        ...(isJson(player.describe()) ? [] : ['describe() is not JSON']),
        ...(player.usage === undefined || isJson(player.usage()) ? [] : ['usage() is not JSON']),
        ...(Number.isInteger(concurrency) && concurrency > 0 ? [] : [`concurrency is ${String(concurrency)}`]),
      ];
    },
  },
  {
    id: 'dispose-twice',
    title: 'dispose() may be called twice',
    severity: 'error',
    likelyCause: 'dispose() frees something that is already free',
    why: 'The end of a command would fail.',
    cure: 'Let the second call do nothing.',
    run: async ({ create }) => {
      const player = await create();
      await player.dispose?.();
      await player.dispose?.();
      return [];
    },
  },
];

/** Checks a player against its contract, without a server, and reports the outcome of each check. */
export async function examineTextPlayer<Options>(
  { create: make, options }: TextPlayerSubject<Options>,
  settings: TextPlayerCheckSettings = {},
): Promise<KitReport> {
  const context: PlayerContext = { address: settings.emptyAddress ?? EMPTY_ADDRESS, temperature: 0 };
  const made: TextPlayer[] = [];
  const create = async (): Promise<TextPlayer> => {
    const player = await make(options, testHost(settings.seed), context);
    requireMembers('create()', player, { name: 'string', act: 'function', describe: 'function' });
    made.push(player);
    return player;
  };
  const checks = await runKit(textPlayerChecks, settings, async () => ({
    player: await create(),
    create,
    millisecondsPerCall: 1_000 * (settings.secondsPerCall ?? 60),
  }));
  for (const player of made) await quietly(() => player.dispose?.());
  return { checks };
}

/** Checks a player against its contract and returns findings with their usual causes. */
export async function checkTextPlayer<Options>(
  subject: TextPlayerSubject<Options>,
  settings: TextPlayerCheckSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineTextPlayer(subject, settings));
}

/** Declares the kit as tests, one for each check. `it` is the function of the test runner. */
export function describeTextPlayer<Options>(
  it: DeclareTest,
  subject: TextPlayerSubject<Options>,
  settings: TextPlayerCheckSettings = {},
): void {
  declareKit(it, textPlayerChecks, settings, () => checkTextPlayer(subject, settings));
}
