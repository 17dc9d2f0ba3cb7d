import type { LayoutPiece } from './chat-layout.js';
import type { TextPlace, TextTokenizer } from './text-tokenizer.js';

/** What stands in front of an action. */
export interface ActionPlace {
  readonly place: TextPlace;
  /** The control token in front of it; empty if that is text. */
  readonly behind: readonly number[];
}

/** Actions whose ids are compared. */
const tried = ['ok then', 'take key 2', 'Go', '"x" (y)'];

/**
 * Where an action stands: behind a control token of the prompt, or behind its text. The sampled ids begin there, so a
 * prompt and an action are always encoded apart.
 *
 * @param prompts what the template writes up to an action
 * @throws if a text of the prompt and an action have other ids together than apart: the model never saw the latter
 */
export function actionPlace(
  prompts: readonly (readonly LayoutPiece[])[],
  tokenizer: TextTokenizer,
  file: string,
): ActionPlace {
  const ends = prompts.map(textBefore);
  const places = new Set(ends.map((text): TextPlace => (text === '' ? 'fresh' : 'inner')));
  const [place = 'fresh'] = places;
  const refuse = (text: string, what: string) =>
    new Error(
      `${file}: the chat template puts ${JSON.stringify(text)} in front of an action, ${what}, so the prompt and the action cannot be encoded one after the other. End the prompt with a special token, or with a line end, in chat_template.jinja.`,
    );
  if (places.size > 1 && tokenizer.hasPrefix) {
    throw refuse(
      ends.find((text) => text !== '')!,
      'and elsewhere a special token, which the tokenizer distinguishes',
    );
  }
  for (const text of ends) {
    const before = tokenizer.encode(text, 'fresh');
    const differs = (action: string) =>
      text !== '' &&
      [...before, ...tokenizer.encode(action, 'inner')].join() !== tokenizer.encode(text + action, 'fresh').join();
    const joined = tried.find(differs);
    if (joined !== undefined) throw refuse(text, `which the tokenizer joins with ${JSON.stringify(joined)}`);
  }
  const last = prompts.at(-1)?.at(-1);
  return { place, behind: typeof last === 'number' ? [last] : [] };
}

/** The text at the end of a prompt, behind its last control token. An observation in it is a word. */
function textBefore(prompt: readonly LayoutPiece[]): string {
  const last = prompt.findLastIndex((piece) => typeof piece === 'number');
  return prompt
    .slice(last + 1)
    .map((piece) => (typeof piece === 'object' && 'text' in piece ? piece.text : 'room'))
    .join('');
}
