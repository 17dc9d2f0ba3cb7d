import type { Tool, ToolReading } from '../../contracts/tool.js';
import type { KitCheck } from '../conformance-kit.js';
import { readerChecks } from '../reader-checks.js';
import { shorten } from '../shorten.js';
import { callOf, type ToolCheckContext } from './tool-context.js';

/** Maximum number of characters: the reason becomes part of an observation, and its tokens fill the episode. */
const longestReason = 500;

const isReading = (reading: ToolReading): boolean =>
  'call' in reading ? reading.call !== undefined : typeof reading.malformed === 'string';

export const readingChecks: readonly KitCheck<ToolCheckContext>[] = [
  {
    id: 'example',
    title: 'the tool reads its example as a call, and the call is JSON',
    severity: 'error',
    likelyCause:
      'the syntax changed in only one of instructions, example and parse; or a call holds a Map, a Date or undefined',
    why: "The policy learns the call from the tool's instructions. Episodes store calls as JSON.",
    cure: 'Use one syntax in instructions, example and parse. Make calls of plain objects, lists, strings and numbers.',
    run: ({ tool, calls }) => {
      const found = calls.flatMap((text) => {
        const read = callOf(tool, text);
        if (read === undefined)
          return [`${shorten(text)} is not read as a call: ${shorten(String(JSON.stringify(tool.parse(text))))}`];
        const again = JSON.stringify(JSON.parse(JSON.stringify(read)));
        return again === JSON.stringify(read) && isPlain(read.call)
          ? []
          : [`the call of ${shorten(text)} changes when it is stored as JSON`];
      });
      return tool.instructions.trim() === ''
        ? [...found, 'instructions are empty: the policy cannot learn how to call the tool']
        : found;
    },
  },
  {
    id: 'never-throws',
    title: 'parse reads any text as a call, as malformed with a short reason, or as not a call, and never throws',
    severity: 'error',
    likelyCause: 'an unguarded JSON.parse, a missing match or a deep recursion; or the reason quotes the text',
    why: 'The tool sees every text of every turn first. An exception ends the episode, and a long reason fills it.',
    cure: 'Return {malformed: reason} with a short reason in your own words, or undefined for texts that are not calls.',
    run: ({ tool, texts }) => {
      const found: string[] = [];
      for (const text of texts()) {
        try {
          const reading = tool.parse(text);
          if (reading === undefined) continue;
          if (!isReading(reading))
            found.push(`${shorten(text)} is neither a call nor malformed: ${shorten(String(JSON.stringify(reading)))}`);
          else if ('malformed' in reading && reading.malformed.length > longestReason) {
            found.push(`the reason for ${shorten(text)} has ${reading.malformed.length} characters`);
          }
        } catch (error) {
          found.push(`${shorten(text)}: ${String(error)}`);
        }
        if (found.length === 5) return found;
      }
      return [...found, ...functionFaults(tool)];
    },
  },
  {
    id: 'leaves-alone',
    title: 'parse does not claim plain actions and observations',
    severity: 'error',
    likelyCause: 'parse claims every text, or every text with a certain word',
    why: 'A turn that a tool claims does not reach the environment. The agent could not act any more.',
    cure: 'Recognise calls by marks that no action has, such as tags with the name of the tool.',
    run: ({ tool, others }) =>
      others.flatMap((text) => {
        const reading = tool.parse(text);
        return reading === undefined ? [] : [`${shorten(text)} is read as a call: ${shorten(JSON.stringify(reading))}`];
      }),
  },
  ...readerChecks<ToolCheckContext>(({ tool, calls, millisecondsPerText }) => ({
    read: (text) => tool.parse(text),
    known: calls,
    pieces: [tool.example, `${tool.example.split(/\w/u)[0] ?? ''} `],
    milliseconds: millisecondsPerText,
  })),
];

/** Arguments of any type: a policy in training writes any JSON. */
const strangeValues = [undefined, null, true, 17, '', 'x'.repeat(100_000), '\ud83d', [], ['x'], {}, { x: {} }];

/** What is wrong with how a tool reads the arguments of its function, if it is one. */
function functionFaults({ function: own }: Tool): string[] {
  if (own === undefined) return [];
  const { properties } = own.parameters;
  const names = Object.keys((properties ?? {}) as object);
  return strangeValues.flatMap((value) => {
    const values = value === undefined ? {} : Object.fromEntries(names.map((name) => [name, value]));
    const shown = shorten(JSON.stringify(values));
    try {
      const reading = own.read(values);
      if (!isReading(reading)) return [`the arguments ${shown} of the function are neither a call nor malformed`];
      const isLong = 'malformed' in reading && reading.malformed.length > longestReason;
      return isLong ? [`the reason for the arguments ${shown} has ${reading.malformed.length} characters`] : [];
    } catch (error) {
      return [`the arguments ${shown} of the function: ${String(error)}`];
    }
  });
}

/** True if the value consists only of JSON types. */
function isPlain(value: unknown): boolean {
  if (value === null || ['boolean', 'string'].includes(typeof value)) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlain);
  return (
    typeof value === 'object' &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).every(isPlain)
  );
}
