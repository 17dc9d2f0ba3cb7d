// Calls of a world's tools, and its actions as functions, in texts of formats without function calls.
import type { ActionFormat } from '../contracts/format.js';
import type { FunctionCall, FunctionDefinition, ReadCall } from '../contracts/function-calls.js';
import type { Json } from '../contracts/json.js';

const [open, close] = ['<call>', '</call>'];
/** Longest call that is read, in UTF-16 code units. */
const longestCall = 100_000;

/** The calls between tags, in their order. */
export function readTextCalls(text: string): ReadCall[] {
  const [, ...parts] = text.split(open);
  return parts.map((part) => {
    const end = part.indexOf(close);
    if (end === -1) return { malformed: `${close} is missing` };
    if (end > longestCall) return { malformed: `the call has ${end} characters, more than ${longestCall}` };
    const call = callOfJson(part.slice(0, end));
    return call === undefined
      ? { malformed: `write {"name": ..., "arguments": {...}} between ${open} and ${close}` }
      : { call };
  });
}

/** The text that is read as this call. Tags inside are escaped. */
export function writeTextCall(call: FunctionCall): string {
  return `${open}${callJson(call).replaceAll('<', '\\u003c')}${close}`;
}

/** How such a tool is called, for the system prompt. */
export function describeTextCall({ name, description, parameters }: FunctionDefinition): string {
  return `${name}: ${description} To call it, write ${open}{"name": ${JSON.stringify(name)}, "arguments": ARGUMENTS}${close}, where ARGUMENTS fits ${JSON.stringify(parameters)}.`;
}

/** The call that a JSON text is; undefined if it is none. */
export function callOfJson(text: string): FunctionCall | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { name, arguments: given = {} } = (value ?? {}) as { readonly name?: unknown; readonly arguments?: unknown };
  if (typeof name !== 'string' || typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  return { name, arguments: given as { readonly [name: string]: Json } };
}

/** The action that is a call of a function, as `step` gets it. */
export function callJson({ name, arguments: values }: FunctionCall): string {
  return JSON.stringify({ name, arguments: values });
}

/** The same action without spaces, if it is a call. */
export function plainAction(action: string): string {
  const call = callOfJson(action);
  return call === undefined ? action : callJson(call);
}

/** A format that describes actions as functions in its instructions, and whose actions are calls as JSON. */
export function withTextActions(format: ActionFormat, actions: readonly FunctionDefinition[]): ActionFormat {
  return {
    ...format,
    instructions: [format.instructions, describeActions(actions)].filter((part) => part !== '').join('\n\n'),
    parse(written) {
      const parsed = format.parse(written);
      return 'action' in parsed ? { action: plainAction(parsed.action) } : parsed;
    },
  };
}

/** How actions that are functions are written as texts. */
export function describeActions(actions: readonly FunctionDefinition[]): string {
  const described = actions.map(
    ({ name, description, parameters }) => `${name}: ${description} ARGUMENTS fits ${JSON.stringify(parameters)}.`,
  );
  return ['An action is {"name": NAME, "arguments": ARGUMENTS}. Actions by NAME:', ...described].join('\n');
}
