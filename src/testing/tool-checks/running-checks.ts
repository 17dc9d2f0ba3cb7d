import type { Json } from '../../contracts/json.js';
import type { Tool } from '../../contracts/tool.js';
import { messageOf } from '../../errors/message-of.js';
import { DeadlineError } from '../../errors/within-deadline.js';
import type { KitCheck } from '../conformance-kit.js';
import { leftOpenBy } from '../open-resources.js';
import { shorten } from '../shorten.js';
import { answersOf, callOf, runCall, type ToolCheckContext } from './tool-context.js';

/** Control characters and chat template markers, which an output must not contain. */
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]|<\|[^|<>]*\|>|\p{Cs}/u;

/** Milliseconds before the abort, and after it until the call must end, as in the host. */
const patience = { stop: 20, grace: 1000 };

/** The calls in `calls` and the calls that the tool reads in awkward texts, without repetition. */
function someCalls({ tool, calls, texts }: ToolCheckContext): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const text of [...calls, ...texts()]) {
    const read = callOf(tool, text);
    if (read !== undefined) found.set(JSON.stringify(read.call), read.call);
  }
  return found;
}

export const runningChecks: readonly KitCheck<ToolCheckContext>[] = [
  {
    id: 'answers',
    title: 'the tool answers every call with text and never throws',
    severity: 'error',
    likelyCause: 'the tool throws for a mistake of the agent instead of answering with `failed`',
    why: 'An exception makes the episode fail. It is played again, and the agent never learns that the call was wrong.',
    cure: 'Answer {output, failed: true} for mistakes of the agent. Throw only for faults that the agent cannot avoid.',
    run: async (context) => {
      const found: string[] = [];
      for (const call of someCalls(context).values()) {
        const session = await context.tool.begin({ random: context.random.stream('answers') });
        const place = `the call ${shorten(JSON.stringify(call))}`;
        try {
          const result = await runCall(session, call, context.random.stream('call'), context);
          if (typeof result?.output !== 'string') found.push(`${place} gets an answer without an output`);
          if (!['undefined', 'boolean'].includes(typeof result?.failed))
            found.push(`${place}: \`failed\` must be true or false`);
        } catch (error) {
          found.push(`${place} threw: ${messageOf(error)}`);
        }
        await session.dispose?.();
        if (found.length >= 5) return found;
      }
      return found;
    },
  },
  {
    id: 'plain-output',
    title: 'outputs are text without control characters, chat template markers or half surrogate pairs',
    severity: 'error',
    likelyCause: 'terminal colours, raw bytes, or a literal quotation of the call',
    why: 'The output becomes an observation. A policy must not read control characters or chat template markers.',
    cure: 'Write plain sentences, and drop or escape text from elsewhere.',
    run: async (context) => {
      const session = await context.tool.begin({ random: context.random.stream('plain') });
      const found: string[] = [];
      for (const [text, call] of someCalls(context)) {
        const result = await runCall(session, call, context.random.stream('call'), context).catch(() => undefined);
        const sign = typeof result?.output === 'string' ? control.exec(result.output)?.[0] : undefined;
        if (sign !== undefined) found.push(`the answer to ${shorten(text)} contains ${JSON.stringify(sign)}`);
        if (found.length >= 5) break;
      }
      await session.dispose?.();
      return found;
    },
  },
  {
    id: 'deterministic',
    title: 'two instances answer the same calls with the same texts, unless the tool is external',
    severity: 'error',
    likelyCause: 'Math.random, the clock or the network; draw from `random`, or declare `external: true`',
    why: 'Runs could not be repeated or resumed, and two plays of a task could not be compared.',
    cure: 'Draw from `random`, do not read the clock, or declare `external: true`.',
    run: async (context) => {
      if (context.external) return [];
      const { tool, calls } = context;
      const texts = [...calls, ...calls];
      const first = await answersOf(tool, texts, context);
      const other = await answersOf(await context.create(), texts, context);
      const differs = first.findIndex((answer, index) => answer !== other[index]);
      return differs === -1 ? [] : [`${shorten(texts[differs] ?? '')} gets ${first[differs]}, then ${other[differs]}`];
    },
  },
  {
    id: 'creation-order',
    title: 'the order and the number of created instances do not matter, unless the tool is external',
    severity: 'error',
    likelyCause: 'each new instance takes a number from a counter or generator of the module',
    why: 'The number of instances and their episodes depend on timing. Results would depend on it.',
    cure: 'Number nothing, and draw from the `random` of begin() and of the call.',
    run: async (context) => {
      if (context.external) return [];
      const { tool, calls } = context;
      const first = await answersOf(tool, calls, context);
      const made: Tool[] = [];
      for (let instance = 0; instance < 4; instance += 1) made.push(await context.create());
      // The last instance is asked first.
      for (const other of made.toReversed()) {
        const answers = await answersOf(other, calls, context);
        const differs = first.findIndex((answer, index) => answer !== answers[index]);
        if (differs !== -1)
          return [`${shorten(calls[differs] ?? '')} gets ${first[differs]}, from another instance ${answers[differs]}`];
      }
      return [];
    },
  },
  {
    id: 'sessions-apart',
    title: 'episodes do not affect each other, unless the tool is external',
    severity: 'error',
    likelyCause: 'the state is in the tool or in its module; keep it in the session that `begin` returns',
    why: 'Episodes play side by side in any order. Results would depend on the order.',
    cure: 'Create the state of an episode in begin(), and keep it in the session.',
    run: async (context) => {
      if (context.external) return [];
      const { calls } = context;
      const tool = await context.create();
      const alone = await answersOf(tool, calls, context);
      const neighbour = await tool.begin({ random: context.random.stream('neighbour') });
      for (const text of calls) {
        const read = callOf(tool, text);
        if (read !== undefined) await runCall(neighbour, read.call, context.random.stream('other'), context);
      }
      const again = await answersOf(tool, calls, context);
      await neighbour.dispose?.();
      const differs = alone.findIndex((answer, index) => answer !== again[index]);
      return differs === -1
        ? []
        : [
            `after another episode ${shorten(calls[differs] ?? '')} gets ${again[differs]}, before it ${alone[differs]}`,
          ];
    },
  },
  {
    id: 'stops',
    title: 'a call answers in time, and stops soon after its signal is aborted',
    severity: 'error',
    likelyCause: '`signal` is not passed to the awaited function',
    why: 'A call that does not stop delays the whole wave of episodes, and also Ctrl-C.',
    cure: 'Pass `signal` to every awaited function, and check it in long loops.',
    run: async (context) => {
      for (const text of context.calls) {
        const read = callOf(context.tool, text);
        if (read === undefined) continue;
        const session = await context.tool.begin({ random: context.random.stream('stops') });
        const stop = new AbortController();
        const timer = setTimeout(() => stop.abort(new Error('the time of the call is up')), patience.stop);
        const limit = { millisecondsPerCall: Math.min(context.millisecondsPerCall, patience.stop + patience.grace) };
        const start = performance.now();
        // The host handles errors of a call after its abort.
        const isLate = await runCall(session, read.call, context.random.stream('call'), limit, stop.signal).then(
          () => false,
          (error: unknown) => error instanceof DeadlineError,
        );
        clearTimeout(timer);
        await session.dispose?.();
        const taken = performance.now() - start;
        // Timers may fire slightly before the clock reaches their time, and a call that blocks stops all timers.
        if (isLate || taken >= limit.millisecondsPerCall) return [`${shorten(text)} ran for ${Math.round(taken)} ms`];
      }
      return [];
    },
  },
  {
    id: 'dispose',
    title: 'sessions and the tool may be disposed of twice, with and without calls',
    severity: 'error',
    likelyCause: 'it frees something that is already free or that only a call creates',
    why: 'The host frees sessions and tools wherever a run ends. An exception there hides the first error.',
    cure: 'Remember what is already free, and free only what exists.',
    run: async (context) => {
      const found: string[] = [];
      for (const called of [false, true]) {
        const tool = await context.create();
        const session = await tool.begin({ random: context.random.stream('dispose') });
        const read = callOf(tool, tool.example);
        if (called && read !== undefined) {
          await runCall(session, read.call, context.random.stream('call'), context).catch(() => undefined);
        }
        for (const [what, held] of [
          ['session', session],
          ['session', session],
          ['tool', tool],
          ['tool', tool],
        ] as const) {
          try {
            await held.dispose?.();
          } catch (error) {
            found.push(`dispose of the ${what} ${called ? 'after' : 'before'} a call threw: ${messageOf(error)}`);
          }
        }
      }
      return found;
    },
  },
  {
    id: 'handles',
    title: 'after dispose no open resource remains',
    severity: 'error',
    likelyCause: 'dispose leaves a timer, socket or child process open',
    why: 'Training does not end, or a long run uses up files and sockets.',
    cure: 'Clear timers, and close sockets and child processes, in dispose().',
    run: (context) =>
      leftOpenBy(async () => {
        const tool = await context.create();
        const read = callOf(tool, tool.example);
        const session = await tool.begin({ random: context.random.stream('handles') });
        if (read !== undefined)
          await runCall(session, read.call, context.random.stream('call'), context).catch(() => undefined);
        await session.dispose?.();
        await tool.dispose?.();
      }),
  },
];
