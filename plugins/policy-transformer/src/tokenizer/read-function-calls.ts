import type { FunctionCallSyntax } from '@agentgym/cli';

import type { ChatMessage } from './chat-template.js';

/** A template as a function of messages, with its variables set. */
export type Render = (messages: readonly ChatMessage[], tools?: readonly object[]) => string;

// Only letters and digits, as in the layout.
const [name, key, value] = ['Qname0Q', 'Qkey0Q', 'Qvalue0Q'];

/**
 * The syntax of function calls: a message with a call is written in place of an action. Undefined if the call is not one
 * JSON object in constant text.
 */
export function readFunctionCalls(
  render: Render,
  rendered: {
    /** The first observation, and the one after the call. */
    readonly user: ChatMessage;
    readonly answer: ChatMessage;
    /** What the template writes before and after an action between them. */
    readonly before: string;
    readonly after: string;
    readonly system: ChatMessage;
    /** The text with a system text; absent if the template has no system role. */
    readonly withSystem: string | undefined;
  },
): FunctionCallSyntax | undefined {
  const { user, answer, before, after, system, withSystem } = rendered;
  const call = { id: 'Qcall0000', type: 'function', function: { name, arguments: { [key]: value } } };
  const text = render([user, { role: 'assistant', content: '', tool_calls: [call] }, answer]);
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
  const written = text.slice(before.length, text.length - after.length);
  const start = written.indexOf('{');
  const end = written.lastIndexOf('}') + 1;
  const { name: called, ...others } = JSON.parse(written.slice(start, end)) as { readonly [key: string]: unknown };
  const [argumentsKey, ...more] = Object.keys(others);
  if (called !== name || argumentsKey === undefined || more.length > 0) return undefined;
  if (JSON.stringify(others[argumentsKey]) !== JSON.stringify({ [key]: value })) return undefined;
  return {
    before: written.slice(0, start),
    after: written.slice(end),
    argumentsKey,
    describe(functions) {
      if (withSystem === undefined) return undefined;
      const tools = functions.map((one) => ({ type: 'function', function: one }));
      const described = attempt(() => render([system, user], tools));
      const at = withSystem.indexOf(system.content ?? '') + (system.content ?? '').length;
      const [head, tail] = [withSystem.slice(0, at), withSystem.slice(at)];
      if (described === undefined || !described.startsWith(head) || !described.endsWith(tail)) return undefined;
      const inserted = described.slice(at, described.length - tail.length).trim();
      return inserted === '' ? undefined : inserted;
    },
  };
}

/** The result, or undefined if the template refuses the messages. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
