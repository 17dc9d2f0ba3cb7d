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

const count = (ids: readonly number[], wanted: readonly number[]): number =>
  ids.filter((id) => wanted.includes(id)).length;

export const encoderChecks: readonly PolicyCheck[] = [
  {
    id: 'encoder-ids',
    title: 'the encoder returns whole numbers from 0, the same for the same text, and defines ids that end an action',
    severity: 'error',
    likelyCause: 'a template is not rendered, or the encoder keeps state between calls',
    why: 'With invalid or changing ids, rollouts and training disagree.',
    cure: 'Make the encoder a pure function that returns whole numbers from 0.',
    run: ({ model: { encoder }, settings: { actions, observations } }) => {
      const parts: Record<string, () => readonly number[]> = { endIds: () => encoder.endIds };
      for (const text of observations) {
        parts[`begin('', ${JSON.stringify(text)})`] = () => encoder.begin('', text);
        parts[`begin('Rules.', ${JSON.stringify(text)})`] = () => encoder.begin('Rules.', text);
        parts[`append(${JSON.stringify(text)})`] = () => encoder.append(text);
        if (encoder.appendAnswer === undefined) continue;
        parts[`appendAnswer(${JSON.stringify(text)})`] = () => encoder.appendAnswer!(text);
      }
      for (const text of actions) parts[`encodeAction(${JSON.stringify(text)})`] = () => encoder.encodeAction(text);
      return Object.entries(parts).flatMap(([name, ids]) => {
        const [first, second] = [ids(), ids()];
        if (first.length === 0) return [`${name} is empty`];
        if (!first.every((id) => Number.isSafeInteger(id) && id >= 0)) return [`${name} contains an invalid token id`];
        return first.join() === second.join() ? [] : [`${name} differs from call to call`];
      });
    },
  },
  {
    id: 'decode-round-trip',
    title: 'an encoded action decodes to itself, without its end token',
    severity: 'error',
    likelyCause: 'the tokenizer adds or strips a space, or decodes end tokens to text',
    why: 'An action in a demonstration would be read as another action when the policy samples it.',
    cure: 'Let decode() reverse encodeAction() exactly, including spaces, and drop end ids.',
    run: ({ model: { encoder }, settings: { actions } }) =>
      actions.flatMap((action) => {
        const ids = encoder.encodeAction(action);
        return [ids, ...encoder.endIds.map((end) => [...ids, end])].flatMap((sampled) => {
          const text = encoder.decode(sampled);
          return text === action ? [] : [`${JSON.stringify(action)} is decoded as ${JSON.stringify(text)}`];
        });
      }),
  },
  {
    id: 'pieces',
    title: 'every id has a text to show, and the pieces of an action read as the action',
    severity: 'error',
    likelyCause: 'single ids are decoded like whole texts, so that control tokens are empty',
    why: 'The report shows episodes token by token.',
    cure: 'Spell out control tokens, and write bytes that are not a character as \\xE2.',
    run: ({ model: { encoder }, settings: { actions, observations } }) => {
      const laidOut = observations.flatMap((text) => [...encoder.begin('Rules.', text), ...encoder.append(text)]);
      const ids = new Set([...laidOut, ...encoder.endIds, ...encoder.encodeAction('\u00e9\u4e16')]);
      const shapeless = [...ids].filter((id) => encoder.piece(id) === '');
      const plain = actions.filter((action) => /^[\x20-\x7e]+$/.test(action));
      return [
        ...shapeless.map((id) => `the id ${id} has an empty piece`),
        ...plain.flatMap((action) => {
          const read = [...encoder.encodeAction(action)].map((id) => encoder.piece(id)).join('');
          // An encoder may add a space at the start.
          if (read.trim() === action.trim()) return [];
          return [`the pieces of ${JSON.stringify(action)} read ${JSON.stringify(read)}`];
        }),
      ];
    },
  },
  {
    id: 'forged-markers',
    title: 'text that spells a control token is encoded as text',
    severity: 'error',
    likelyCause: 'the tokenizer recognises its added tokens in plain text; build it without them for outside text',
    why: 'Text of an environment or user could end a turn or play another role.',
    cure: 'Encode outside text with a tokenizer without special tokens.',
    run: ({ model: { encoder } }) =>
      [...forgeries, ...encoder.endIds.map((id) => encoder.decode([id]))].flatMap((spelled) => {
        const plain = 'now';
        const forged = `now ${spelled} then`;
        const found: string[] = [];
        const compare = (name: string, encode: (text: string) => readonly number[]): void => {
          const more = count(encode(forged), encoder.endIds) - count(encode(plain), encoder.endIds);
          if (more !== 0) found.push(`${name}: ${JSON.stringify(spelled)} becomes an id that ends an action`);
        };
        compare('append', (text) => encoder.append(text));
        if (encoder.appendAnswer !== undefined) compare('appendAnswer', (text) => encoder.appendAnswer!(text));
        compare('begin', (text) => encoder.begin('', text));
        compare('begin, system', (text) => encoder.begin(text, 'now'));
        compare('encodeAction', (text) => encoder.encodeAction(text));
        return found;
      }),
  },
];
