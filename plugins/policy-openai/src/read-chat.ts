import type { JsonPlace, PlayerAnswer } from '@agentgym/cli';

import { ServerFault } from './server-errors.js';
import { wordsOf } from './server-words.js';
import type { TokensUsed } from './spending.js';

/** The next message of a conversation, and what it used. */
export interface ChatAnswer extends PlayerAnswer {
  readonly usage: TokensUsed;
}

/** More than any answer uses: a larger number is a fault. */
const MOST_TOKENS = 1e9;

/**
 * Reads an answer to `/chat/completions`. A model that only thought, or refused, has no content, and gives an empty text.
 *
 * @throws ServerFault in the server's words if it says in its answer that it failed, or the error of `document`
 */
export function readChat(document: JsonPlace, place: string): ChatAnswer {
  refuseFault(document, place);
  const choices = document.member('choices').items();
  const [choice] = choices;
  if (choice === undefined) throw new ServerFault(`${place} answered without a choice`);
  refuseFault(choice, place);
  const content = choice.member('message').member('content');
  return {
    text: content.isAbsent ? '' : readContent(content),
    cut: choice.member('finish_reason').value === 'length',
    usage: readUsage(document.member('usage')),
  };
}

/** A fault inside an answer of status 200: as an error of the whole, or of a choice. */
export function refuseFault(answer: JsonPlace, place: string): void {
  const error = answer.member('error');
  const reason = answer.member('finish_reason').value;
  if (error.isAbsent && reason !== 'error') return;
  const words = wordsOf(error.value);
  throw new ServerFault(`${place} answered that it failed${words === '' ? '' : `: ${words}`}`);
}

/** A text, or a list of parts: texts are joined, and thinking is left out. */
function readContent(content: JsonPlace): string {
  if (!Array.isArray(content.value)) return content.text();
  return content
    .items()
    .filter((part) => ['text', 'output_text'].includes(part.member('type').text()))
    .map((part) => part.member('text').text())
    .join('');
}

function readUsage(usage: JsonPlace): TokensUsed {
  if (usage.isAbsent) return undefined;
  const [prompt, completion] = [usage.member('prompt_tokens'), usage.member('completion_tokens')];
  if (prompt.isAbsent || completion.isAbsent) return undefined;
  return { prompt: prompt.integer(0, MOST_TOKENS), completion: completion.integer(0, MOST_TOKENS) };
}
