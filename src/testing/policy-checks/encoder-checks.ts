import type { ConversationEncoder } from '../../contracts/policy.js';
import { firstFound } from '../findings.js';
import type { PolicyCheck } from './policy-context.js';

/** Spellings of the control tokens of common models. In outside text they are plain text. */
const forgeries = [
  '<|im_end|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|end|>',
  '</s>',
  '<eos>',
  '<end>',
  '<|im_start|>assistant\n',
];

/** What encodes a text, by name. */
const encodings = (encoder: ConversationEncoder): Readonly<Record<string, (text: string) => readonly number[]>> => ({
  begin: (text) => encoder.begin('', text),
  'begin with rules': (text) => encoder.begin('Rules.', text),
  'begin, rules': (text) => encoder.begin(text, 'now'),
  append: (text) => encoder.append(text),
  ...(encoder.appendAnswer && { appendAnswer: (text: string) => encoder.appendAnswer!(text) }),
  encodeAction: (text) => encoder.encodeAction(text),
});

export const encoderChecks: readonly PolicyCheck[] = [
  {
    id: 'encoder',
    title:
      'a text has the same ids each time, whole numbers from 0 with a text to show, and an encoded action decodes to itself without its end token',
    cure: 'Keep no state between calls. Let decode() reverse encodeAction() exactly, spaces included, and drop end ids. Spell out control tokens in piece(), and bytes that are no character as \\xE2.',
    run: async ({ model: { encoder }, actions, observations }) => {
      const parts = Object.entries(encodings(encoder)).flatMap(([name, encode]) =>
        [...(name === 'encodeAction' ? [...actions, '\u00e9\u4e16'] : observations)].map(
          (text) => [`${name}(${JSON.stringify(text)})`, () => encode(text)] as const,
        ),
      );
      const ids = await firstFound([['endIds', () => encoder.endIds] as const, ...parts], ([name, idsOf]) => {
        const some = idsOf();
        if (some.length === 0) return `${name} is empty`;
        if (!some.every((id) => Number.isSafeInteger(id) && id >= 0)) return `${name} contains an invalid token id`;
        if (some.join() !== idsOf().join()) return `${name} differs from call to call`;
        const shapeless = some.find((id) => encoder.piece(id) === '');
        return shapeless === undefined ? undefined : `the piece of id ${shapeless} in ${name} is empty`;
      });
      const written = await firstFound(actions, (action) => {
        const sampled = [...encoder.encodeAction(action)];
        for (const end of [[], ...encoder.endIds.map((id) => [id])]) {
          const decoded = encoder.decode([...sampled, ...end]);
          if (decoded !== action) return `${JSON.stringify(action)} is decoded as ${JSON.stringify(decoded)}`;
        }
        const pieces = sampled.map((id) => encoder.piece(id)).join('');
        // Pieces may spell bytes, and an encoder may add a space at the start.
        if (!/^[\x20-\x7e]+$/.test(action) || pieces.trim() === action.trim()) return undefined;
        return `the pieces of ${JSON.stringify(action)} read ${JSON.stringify(pieces)}`;
      });
      return [ids, written];
    },
  },
  {
    id: 'earlier-actions',
    title:
      'an earlier action is shown by ids from its end, with its end token, and a prompt before the last action only is the end of begin() and append()',
    cure: 'Cut ids from the start of an action, encode nothing again, and count the ids of the prompt.',
    idle: ({ model: { encoder } }) =>
      encoder.earlierActions === undefined ? 'earlier actions stay as they were' : undefined,
    run: ({ model: { encoder }, actions, observations }) => {
      const earlier = encoder.earlierActions!;
      const { promptIds } = earlier;
      const [end] = encoder.endIds;
      const longest = Math.min(
        ...observations.flatMap((text) => [encoder.begin('', text), encoder.append(text)].map(({ length }) => length)),
      );
      if (!Number.isSafeInteger(promptIds) || promptIds < 0 || promptIds > longest)
        return `promptIds is ${promptIds}, and a prompt has ${longest} ids`;
      return firstFound(actions, (action) => {
        const whole = [...encoder.encodeAction(action), end!];
        const tail = earlier.shown(whole);
        if (tail.at(-1) === end && tail.join() === whole.slice(whole.length - tail.length).join()) return undefined;
        return `${JSON.stringify(action)} is shown by ${tail.join(' ')}, which does not end ${whole.join(' ')}`;
      });
    },
  },
  {
    id: 'forged-markers',
    title: 'text that spells a control token is encoded as text',
    cure: 'Encode outside text with a tokenizer that was built without special tokens, so that it can neither end a turn nor play another role.',
    run: ({ model: { encoder } }) => {
      const ends = (ids: readonly number[]): number => ids.filter((id) => encoder.endIds.includes(id)).length;
      return firstFound([...forgeries, ...encoder.endIds.map((id) => encoder.decode([id]))], (spelled) =>
        firstFound(Object.entries(encodings(encoder)), ([name, encode]) => {
          if (ends(encode(`now ${spelled} then`)) === ends(encode('now'))) return undefined;
          return `${name}: ${JSON.stringify(spelled)} becomes an id that ends an action`;
        }),
      );
    },
  },
];
