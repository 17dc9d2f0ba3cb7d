import type { Json } from '../../contracts/json.js';
import type { Tool, ToolReading, ToolSession } from '../../contracts/tool.js';
import { DeadlineError } from '../../errors/within-deadline.js';
import type { KitCheck } from '../conformance-kit.js';
import { firstFound, foundAt, notJson } from '../findings.js';
import { jsonDifference } from '../json-difference.js';
import { freedTwice, leftOpenBy } from '../open-resources.js';
import { readerChecks } from '../reader-checks.js';
import { shorten } from '../shorten.js';
import { answersOf, beginSession, callOf, inSession, runCall, type ToolCheckContext } from './tool-context.js';

/** Maximum number of characters: the reason becomes part of an observation, and its tokens fill the episode. */
const longestReason = 500;

/** Control characters and chat template markers, which an output must not contain. */
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]|<\|[^|<>]*\|>|\p{Cs}/u;

/** Seconds before the abort, and after it until the call must end, as in the host. */
const patience = { stop: 0.02, grace: 1 };

/** Texts that are not calls: usual actions and observations of environments, and thoughts about them. */
const usualOthers = [
  '',
  '17',
  'higher',
  'higher, 20 to 31',
  'Guess my number between 17 and 37. You have 5 turns.',
  'get 2 oak planks',
  'craft 4 oak planks using 1 oak log',
  'Inventory: [stick] (4)',
  'go north',
  'search[who wrote "Emma"?]',
  'I should use the tool for 2 + 2.',
  '<think>2 + 2 is 4</think><action>4</action>',
  '\\boxed{4}',
  'Thought: none\nAction: open <box>',
  '{"thought": "none", "function_name": "guess", "arguments": {"number": 4}}',
];

/** Arguments of any type: a policy in training writes any JSON. */
const strangeValues = [undefined, null, true, 17, '', 'x'.repeat(100_000), '\ud83d', [], ['x'], {}, { x: {} }];

/** What is wrong with a reading. */
export function badReading(reading: ToolReading): string | undefined {
  const isReading = 'call' in reading ? reading.call !== undefined : typeof reading.malformed === 'string';
  if (!isReading) return `it is neither a call nor malformed: ${shorten(String(JSON.stringify(reading)))}`;
  const { length } = 'malformed' in reading ? reading.malformed : '';
  return length > longestReason ? `the reason has ${length} characters` : undefined;
}

/** The calls in `calls` and the calls that the tool reads in awkward texts, without repetition. */
function someCalls({ tool, calls, texts }: ToolCheckContext): readonly Json[] {
  const found = new Map<string, Json>();
  for (const text of [...calls, ...texts()]) {
    const read = callOf(tool, text);
    if (read !== undefined) found.set(JSON.stringify(read.call), read.call);
  }
  return [...found.values()];
}

/** Runs the example, whatever comes of it. */
async function tryExample(context: ToolCheckContext, session: ToolSession): Promise<void> {
  const read = callOf(context.tool, context.tool.example);
  if (read !== undefined) await runCall(context, session, read.call, 'example').catch(() => undefined);
}

export const toolChecks: readonly KitCheck<ToolCheckContext>[] = [
  {
    id: 'example',
    title: 'there are instructions, and the tool reads its example as a call of plain JSON',
    cure: 'Use one syntax in instructions, example and parse. Make calls of plain objects, lists, strings and numbers.',
    run: ({ tool, calls }) => [
      tool.instructions.trim() === '' ? 'without instructions the policy cannot learn how to call the tool' : undefined,
      ...calls.map((text) => {
        const read = callOf(tool, text);
        if (read !== undefined) return notJson(read.call, `the call of ${shorten(text)}`);
        return `${shorten(text)} is not read as a call: ${shorten(String(JSON.stringify(tool.parse(text))))}`;
      }),
    ],
  },
  {
    id: 'leaves-alone',
    title: 'parse does not claim plain actions and observations',
    cure: 'Recognise calls by marks that no action has, such as tags with the name of the tool.',
    run: ({ tool }) =>
      usualOthers.map((text) => {
        const reading = tool.parse(text);
        return reading && `${shorten(text)} is read as a call: ${shorten(JSON.stringify(reading))}`;
      }),
  },
  ...readerChecks({
    title: 'any text is read as a call, as malformed with a short reason, or as not a call; nothing throws',
    cure: 'Return {malformed: reason} with a short reason in your own words, or undefined for texts that are not calls.',
  }),
  {
    id: 'arguments',
    title: 'as a function, the tool reads arguments of any type as a call, or as malformed with a short reason',
    cure: 'Check the type of every argument, and return {malformed: reason} for a wrong one.',
    idle: ({ tool }) => (tool.function === undefined ? 'it is no function' : undefined),
    run: ({ tool: { function: own } }) => {
      const names = Object.keys((own?.parameters.properties ?? {}) as object);
      return firstFound(strangeValues, (value) => {
        const values = value === undefined ? {} : Object.fromEntries(names.map((name) => [name, value]));
        return foundAt(`the arguments ${shorten(JSON.stringify(values))}`, () => own && badReading(own.read(values)));
      });
    },
  },
  {
    id: 'answers',
    title:
      'the tool answers every call with text, without control characters, chat template markers or half surrogate pairs, and never throws',
    cure: 'Answer {output, failed: true} for mistakes of the agent. Write plain sentences, and drop or escape text from elsewhere.',
    run: (context) =>
      firstFound(someCalls(context), (call) =>
        inSession(context, async (session) =>
          foundAt(`the call ${shorten(JSON.stringify(call))}`, async () => {
            const { output, failed = false } = await runCall(context, session, call);
            if (typeof output !== 'string') return 'the answer has no output';
            if (typeof failed !== 'boolean') return '`failed` must be true or false';
            const sign = control.exec(output)?.[0];
            return sign && `the answer contains ${JSON.stringify(sign)}`;
          }),
        ),
      ),
  },
  {
    id: 'deterministic',
    title: 'the same calls get the same answers in every episode and every instance, unless the tool is external',
    cure: 'Keep the state of an episode in the session that begin() returns, draw from the `random` of begin() and of the call, number nothing, and do not read the clock; or declare `external: true`.',
    idle: ({ external }) => (external ? 'the tool is external' : undefined),
    run: async (context) => {
      const { tool } = context;
      const calls = [...context.calls, ...context.calls];
      const first = await answersOf(context, tool, calls);
      const instances: Tool[] = [];
      for (let instance = 0; instance < 4; instance += 1) instances.push(await context.create());
      return inSession(context, async (neighbour) => {
        // The session of another episode stays open meanwhile.
        await tryExample(context, neighbour);
        // The last instance is asked first.
        return firstFound([tool, ...instances.toReversed()], async (other) => {
          const difference = jsonDifference(first, await answersOf(context, other, calls));
          const where = other === tool ? 'in another episode' : 'in another instance';
          return difference && `${where} the answers differ: ${difference}`;
        });
      });
    },
  },
  {
    id: 'stops',
    title: 'a call answers in time, and stops soon after its signal is aborted',
    cure: 'Pass `signal` to every awaited function, and check it in long loops.',
    run: (context) =>
      firstFound(context.calls, async (text) => {
        const read = callOf(context.tool, text);
        if (read === undefined) return undefined;
        const limit = Math.min(context.secondsPerCall, patience.stop + patience.grace);
        return inSession(context, async (session) => {
          const start = performance.now();
          const signal = AbortSignal.timeout(1000 * patience.stop);
          // The host handles errors of a call after its abort.
          const limited = { ...context, secondsPerCall: limit };
          const error = await runCall(limited, session, read.call, 'stops', signal).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          const taken = performance.now() - start;
          // Timers may fire slightly before the clock reaches their time, and a call that blocks stops all timers.
          const isLate = error instanceof DeadlineError || taken >= 1000 * limit;
          return isLate ? `${shorten(text)} ran for ${Math.round(taken)} ms` : undefined;
        });
      }),
  },
  {
    id: 'dispose',
    title: 'sessions and the tool may be disposed of twice, with and without calls',
    cure: 'Remember what is already free, and free only what exists.',
    run: (context) =>
      firstFound(['before any call', 'after a call'], async (when) => {
        const tool = await context.create();
        const { session, end } = await beginSession(tool, context.random.stream('dispose'));
        if (when === 'after a call') await tryExample(context, session);
        const found = await freedTwice(`dispose of a session ${when}`, () => session.dispose?.());
        await end();
        return found ?? freedTwice(`dispose of the tool ${when}`, () => tool.dispose?.());
      }),
  },
  {
    id: 'handles',
    title: 'after dispose no open resource remains',
    cure: 'Clear timers, and close sockets and child processes, in dispose().',
    run: (context) =>
      leftOpenBy(async () => {
        const tool = await context.create();
        await inSession(context, (session) => tryExample(context, session), tool);
        await tool.dispose?.();
      }),
  },
];
