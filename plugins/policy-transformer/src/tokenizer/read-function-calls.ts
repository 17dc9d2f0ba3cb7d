import type { FunctionCallSyntax } from '@agentgym/cli';

import type { ChatMessage } from './chat-template.js';

/** A template as a function of messages, with its variables set. */
export type Render = (messages: readonly ChatMessage[], tools?: readonly object[]) => string;

// Only letters and digits, as in the layout.
const [name, key, value] = ['Qname0Q', 'Qkey0Q', 'Qvalue0Q'];

/** A message with one call, as templates read it. */
export function callMessage(called: string, values: { readonly [name: string]: string }) {
  const call = { id: 'Qcall0000', type: 'function', function: { name: called, arguments: values } };
  return { role: 'assistant', content: '', tool_calls: [call] } as const;
}

/** The call from which the syntax is read. */
export const sentinelCall = { name, message: callMessage(name, { [key]: value }) } as const;

/** What is read from a rendered call. */
export interface RenderedCalls {
  readonly syntax: FunctionCallSyntax;
  /** The text up to the end of `sentinelCall`, without what ends the message. */
  readonly upToCall: string;
}

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
): RenderedCalls | undefined {
  const { user, answer, before, after, system, withSystem } = rendered;
  const text = render([user, sentinelCall.message, answer]);
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
  const written = text.slice(before.length, text.length - after.length);
  const start = written.indexOf('{');
  const end = written.lastIndexOf('}') + 1;
  const { name: called, ...others } = JSON.parse(written.slice(start, end)) as { readonly [key: string]: unknown };
  const [argumentsKey, ...more] = Object.keys(others);
  if (called !== name || argumentsKey === undefined || more.length > 0) return undefined;
  if (JSON.stringify(others[argumentsKey]) !== JSON.stringify({ [key]: value })) return undefined;
  const syntax: FunctionCallSyntax = {
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
  return { syntax, upToCall: before + written };
}

/** A call as a model writes it, with the JSON of Python, which templates write. */
export function writeCall(
  { before, after, argumentsKey }: FunctionCallSyntax,
  called: string,
  values: { readonly [name: string]: string },
): string {
  const list = Object.entries(values).map(([one, given]) => `${JSON.stringify(one)}: ${JSON.stringify(given)}`);
  return `${before}{"name": ${JSON.stringify(called)}, ${JSON.stringify(argumentsKey)}: {${list.join(', ')}}}${after}`;
}

/** The result, or undefined if the template refuses the messages. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
