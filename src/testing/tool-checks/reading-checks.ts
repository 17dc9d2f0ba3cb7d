import type { ToolReading } from '../../contracts/tool.js';
import type { KitCheck } from '../conformance-kit.js';
import { readerChecks } from '../reader-checks.js';
import { shorten } from '../shorten.js';
import { callOf, type ToolCheckContext } from './tool-context.js';

/** A reason stands in an observation, and its tokens fill the episode. */
const longestReason = 500;

const isReading = (reading: ToolReading): boolean =>
  'call' in reading ? reading.call !== undefined : typeof reading.malformed === 'string';

export const readingChecks: readonly KitCheck<ToolCheckContext>[] = [
  {
    id: 'example',
    title: 'its example is claimed as a call, and the call is JSON',
    severity: 'error',
    likelyCause:
      'the syntax was changed in one of instructions, example and parse; or a call holds a Map, a Date or undefined',
    why: 'The policy learns the call from what the tool says of itself; a call that is kept in an episode must survive JSON.',
    cure: 'Let instructions, example and parse speak of one syntax, and make calls of plain objects, lists, strings and numbers.',
    run: ({ tool, calls }) => {
      const found = calls.flatMap((text) => {
        const read = callOf(tool, text);
        if (read === undefined)
          return [`${shorten(text)} is not read as a call: ${shorten(String(JSON.stringify(tool.parse(text))))}`];
        const again = JSON.stringify(JSON.parse(JSON.stringify(read)));
        return again === JSON.stringify(read) && isPlain(read.call)
          ? []
          : [`the call of ${shorten(text)} does not survive JSON`];
      });
      return tool.instructions.trim() === ''
        ? [...found, 'instructions are empty: nobody learns how to call it']
        : found;
    },
  },
  {
    id: 'never-throws',
    title: 'any text is a call, malformed with a short reason, or none of its business, and nothing is thrown',
    severity: 'error',
    likelyCause: 'JSON.parse, a missing match or a deep recursion is not guarded; or the reason quotes the text',
    why: 'Every text of every turn is shown to the tool first; an exception ends the episode, and a long reason fills it.',
    cure: 'Answer {malformed: reason} in a clause of your own words, or undefined for texts that are none of its business.',
    run: ({ tool, texts }) => {
      const found: string[] = [];
      for (const text of texts()) {
        try {
          const reading = tool.parse(text);
          if (reading === undefined) continue;
          if (!isReading(reading))
            found.push(`${shorten(text)} is neither: ${shorten(String(JSON.stringify(reading)))}`);
          else if ('malformed' in reading && reading.malformed.length > longestReason) {
            found.push(`the reason for ${shorten(text)} has ${reading.malformed.length} characters`);
          }
        } catch (error) {
          found.push(`${shorten(text)}: ${String(error)}`);
        }
        if (found.length === 5) return found;
      }
      return found;
    },
  },
  {
    id: 'leaves-alone',
    title: 'plain actions and observations are none of its business',
    severity: 'error',
    likelyCause: 'parse claims every text, or one that merely contains a word; the environment would never be stepped',
    why: 'A turn that a tool claims does not reach the environment: nobody could act any more.',
    cure: 'Claim texts by marks that no action has, such as tags of the name of the tool.',
    run: ({ tool, others }) =>
      others.flatMap((text) => {
        const reading = tool.parse(text);
        return reading === undefined ? [] : [`${shorten(text)} is claimed: ${shorten(JSON.stringify(reading))}`];
      }),
  },
  ...readerChecks<ToolCheckContext>(({ tool, calls, millisecondsPerText }) => ({
    read: (text) => tool.parse(text),
    known: calls,
    pieces: [tool.example, `${tool.example.split(/\w/u)[0] ?? ''} `],
    milliseconds: millisecondsPerText,
  })),
];

/** Made of nothing but what JSON has. */
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
