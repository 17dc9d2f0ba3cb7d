import type { LayoutPart, WrittenText } from './chat-layout.js';
import type { ChatMessage } from './chat-template.js';
import { callMessage, type Render, sentinelCall } from './read-function-calls.js';
import { findTrimmedCharacters } from './trimmed-text.js';

const sentinel = 'Qanswer0Q';

/** How a template writes the answer to a function call. */
export interface WrittenAnswers {
  /** From the end of the call, starting with its end token, up to the next action. */
  readonly append: readonly LayoutPart[];
  readonly writes: WrittenText;
}

/** The answer to the call of a function, as templates read it. The id is that of the calls of `callMessage`. */
export function answerMessage(name: string, content: string): ChatMessage {
  return { role: 'tool', name, tool_call_id: callMessage(name, {}).tool_calls[0].id, content };
}

/**
 * The layout of a message of the role `tool` after a call. Undefined if the template does not write the answer exactly
 * once, or writes the call in another way than before an observation.
 *
 * @param upToCall what the template writes up to the end of `sentinelCall`
 */
export function readAnswers(render: Render, user: ChatMessage, upToCall: string): WrittenAnswers | undefined {
  const { name, message } = sentinelCall;
  const rendered = (content: string) => render([user, message, answerMessage(name, content)]);
  const text = rendered(sentinel);
  if (!text.startsWith(upToCall)) return undefined;
  const quoted = `${sentinel}"`;
  const json = rendered(quoted).includes(JSON.stringify(quoted));
  const parts = text.slice(upToCall.length).split(json ? JSON.stringify(sentinel) : sentinel);
  if (parts.length !== 2) return undefined;
  const [before, after] = parts as [string, string];
  const trimmed = findTrimmedCharacters((start, end) => rendered(start + sentinel + end) === text);
  return {
    append: [{ text: before }, { slot: 'answer' }, { text: after }],
    writes: { ...trimmed, ...(json && { json }) },
  };
}
