import type { CallLayout } from './chat-layout.js';
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
  readonly layout: CallLayout;
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
  const layout: CallLayout = {
    before: written.slice(0, start),
    after: written.slice(end),
    argumentsKey,
    describe: readDescription(render, { user, system, withSystem }),
  };
  return { layout, upToCall: before + written };
}

/** The marks of calls for a template that has none: the syntax of Hermes and Qwen. */
export const usualCalls = { before: '<tool_call>\n', after: '\n</tool_call>', argumentsKey: 'arguments' } as const;

/** What a template with tools writes about functions, and the usual calls. Undefined if it writes nothing about them. */
export function describedOnly(render: Render, rendered: Parameters<typeof readDescription>[1]): CallLayout | undefined {
  const describe = readDescription(render, rendered);
  const parameters = { type: 'object', properties: { [key]: { type: 'string' } } };
  const tried = { type: 'function', function: { name, description: value, parameters } };
  return describe([tried]) === undefined ? undefined : { ...usualCalls, describe };
}

/**
 * What a template writes about functions, as text behind the system text. Undefined if it writes it elsewhere, or changes
 * more than that.
 */
export function readDescription(
  render: Render,
  { user, system, withSystem }: Pick<Parameters<typeof readFunctionCalls>[1], 'user' | 'system' | 'withSystem'>,
): CallLayout['describe'] {
  return (tools) => {
    if (withSystem === undefined) return undefined;
    const content = system.content ?? '';
    const start = withSystem.indexOf(content);
    const tail = withSystem.slice(start + content.length);
    const between = (head: string, text: string | undefined) => {
      if (text === undefined || !text.startsWith(head) || !text.endsWith(tail)) return undefined;
      const inserted = text.slice(head.length, Math.max(head.length, text.length - tail.length)).trim();
      return inserted === '' ? undefined : inserted;
    };
    return (
      between(
        withSystem.slice(0, start + content.length),
        attempt(() => render([system, user], tools)),
      ) ??
      // A system message of its own is that text, too, if there is no other.
      between(
        withSystem.slice(0, start),
        attempt(() => render([user], tools)),
      )
    );
  };
}

/** A call as a model writes it, with the JSON of Python, which templates write. */
export function writeCall(
  { before, after, argumentsKey }: Pick<CallLayout, 'before' | 'after' | 'argumentsKey'>,
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
