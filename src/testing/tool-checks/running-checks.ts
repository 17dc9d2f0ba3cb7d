import type { Json } from '../../contracts/json.js';
import type { Tool } from '../../contracts/tool.js';
import { messageOf } from '../../errors/message-of.js';
import { DeadlineError } from '../../errors/within-deadline.js';
import type { KitCheck } from '../conformance-kit.js';
import { leftOpenBy } from '../open-resources.js';
import { shorten } from '../shorten.js';
import { answersOf, callOf, runCall, type ToolCheckContext } from './tool-context.js';

/** Signals and markers that no output should carry: they are for terminals and chat templates. */
// eslint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]|<\|[^|<>]*\|>|\p{Cs}/u;

/** Asks to stop after so long, and waits as long as the host does. */
const patience = { stop: 20, grace: 1000 };

/** Calls of its own and those that it makes of awkward texts, one of each. */
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
    title: 'every call that it reads is answered with a text, and nothing is thrown',
    severity: 'error',
    likelyCause:
      'what the agent did wrong is thrown, not answered with `failed`: the episode would be thrown away, and nothing learned',
    why: 'What is thrown is an episode that failed: it is played again, and the agent never learns that the call was wrong.',
    cure: 'Answer {output, failed: true} for what the agent did wrong; throw what it cannot help.',
    run: async (context) => {
      const found: string[] = [];
      for (const call of someCalls(context).values()) {
        const session = await context.tool.begin({ random: context.random.stream('answers') });
        const place = `the call ${shorten(JSON.stringify(call))}`;
        try {
          const result = await runCall(session, call, context.random.stream('call'), context);
          if (typeof result?.output !== 'string') found.push(`${place} is answered without an output`);
          if (!['undefined', 'boolean'].includes(typeof result?.failed))
            found.push(`${place}: \`failed\` is no yes or no`);
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
    title: 'outputs are text: no control characters, no markers of chat templates, no halves of characters',
    severity: 'error',
    likelyCause: 'colours of a terminal, raw bytes, or the text of the call quoted as it is',
    why: 'The output becomes an observation: control characters and markers of chat templates are not for a policy to read.',
    cure: 'Write plain sentences, and leave out or escape what was read elsewhere.',
    run: async (context) => {
      const session = await context.tool.begin({ random: context.random.stream('plain') });
      const found: string[] = [];
      for (const [text, call] of someCalls(context)) {
        const result = await runCall(session, call, context.random.stream('call'), context).catch(() => undefined);
        const sign = typeof result?.output === 'string' ? control.exec(result.output)?.[0] : undefined;
        if (sign !== undefined) found.push(`the answer to ${shorten(text)} holds ${JSON.stringify(sign)}`);
        if (found.length >= 5) break;
      }
      await session.dispose?.();
      return found;
    },
  },
  {
    id: 'deterministic',
    title: 'two instances answer the same calls with the same texts, unless it is external',
    severity: 'error',
    likelyCause: 'Math.random, the clock or a network is asked; draw from `random`, or say `external: true`',
    why: 'A run could not be repeated or resumed, and two plays of a task could not be compared.',
    cure: 'Draw from `random`, ask no clock, or declare `external: true`.',
    run: async (context) => {
      if (context.external) return [];
      const { tool, calls } = context;
      const texts = [...calls, ...calls];
      const first = await answersOf(tool, texts, context);
      const other = await answersOf(await context.create(), texts, context);
      const differs = first.findIndex((answer, index) => answer !== other[index]);
      return differs === -1
        ? []
        : [`${shorten(texts[differs] ?? '')} is answered ${first[differs]}, then ${other[differs]}`];
    },
  },
  {
    id: 'creation-order',
    title: 'it does not matter in which order instances are made, nor how many, unless it is external',
    severity: 'error',
    likelyCause: 'a counter of the module, or a generator of its own, from which each new instance takes its own',
    why: 'How many instances there are, and which of them an episode gets, is chance: results would depend on it.',
    cure: 'Number nothing, and draw from the `random` of begin() and of the call.',
    run: async (context) => {
      if (context.external) return [];
      const { tool, calls } = context;
      const first = await answersOf(tool, calls, context);
      const made: Tool[] = [];
      for (let instance = 0; instance < 4; instance += 1) made.push(await context.create());
      // The last is asked before the others.
      for (const other of made.toReversed()) {
        const answers = await answersOf(other, calls, context);
        const differs = first.findIndex((answer, index) => answer !== answers[index]);
        if (differs !== -1)
          return [
            `${shorten(calls[differs] ?? '')} is answered ${first[differs]}, by another instance ${answers[differs]}`,
          ];
      }
      return [];
    },
  },
  {
    id: 'sessions-apart',
    title: 'what happens in one episode is not seen in another, unless it is external',
    severity: 'error',
    likelyCause: 'state lives in the tool or in its module; keep it in what `begin` returns',
    why: 'Episodes are played side by side in an order that nobody promises: results would depend on it.',
    cure: 'Make the state of an episode in begin(), and keep it in the session.',
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
            `after another episode ${shorten(calls[differs] ?? '')} is answered ${again[differs]}, before ${alone[differs]}`,
          ];
    },
  },
  {
    id: 'stops',
    title: 'a call answers in time, and soon after it is asked to stop',
    severity: 'error',
    likelyCause: '`signal` is not passed on to what is waited for',
    why: 'A call that does not stop holds up the whole wave of episodes, and Ctrl-C with it.',
    cure: 'Pass `signal` to whatever is waited for, and look at it in long loops.',
    run: async (context) => {
      for (const text of context.calls) {
        const read = callOf(context.tool, text);
        if (read === undefined) continue;
        const session = await context.tool.begin({ random: context.random.stream('stops') });
        const stop = new AbortController();
        const timer = setTimeout(() => stop.abort(new Error('the time of the call is up')), patience.stop);
        const limit = { millisecondsPerCall: Math.min(context.millisecondsPerCall, patience.stop + patience.grace) };
        const start = performance.now();
        // What is thrown once it was asked to stop is the host's to deal with.
        const isLate = await runCall(session, read.call, context.random.stream('call'), limit, stop.signal).then(
          () => false,
          (error: unknown) => error instanceof DeadlineError,
        );
        clearTimeout(timer);
        await session.dispose?.();
        const taken = performance.now() - start;
        // Timers may fire a little before a clock has come that far; a call that blocks is not told of by any.
        if (isLate || taken >= limit.millisecondsPerCall)
          return [`${shorten(text)} went on for ${Math.round(taken)} ms`];
      }
      return [];
    },
  },
  {
    id: 'dispose',
    title: 'sessions and the tool may be disposed of twice, with and without calls',
    severity: 'error',
    likelyCause: 'freeing what is already freed, or what only a call makes',
    why: 'The host frees sessions and tools wherever a run may end: an exception there hides the first one.',
    cure: 'Remember what is freed already, and free what is there.',
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
    title: 'after dispose nothing holds the process open',
    severity: 'error',
    likelyCause: 'a timer, socket or child process that dispose leaves behind',
    why: 'Training does not end, or a long run comes to have no files and sockets left.',
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
