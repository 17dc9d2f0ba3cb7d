import type { ActionFormat, FunctionCall, FunctionCallSyntax, FunctionDefinition, Json } from '@agentgym/cli';

import { buildFormat, type Reading } from './build-format.js';
import type { FunctionCallingOptions } from './options.js';
import { findLastOuter, readJsonObject } from './scan-text.js';
import { findLabelledSections, writeInstructions, writeLabelled, writeSections } from './sections.js';

type Shape = Pick<FunctionCallSyntax, 'before' | 'after' | 'argumentsKey'>;

/** The syntax of Hermes and Qwen, for models without a syntax of their own. */
const usualShape: Shape = { before: '<tool_call>\n', after: '\n</tool_call>', argumentsKey: 'arguments' };

/**
 * The action is the exact string argument of a function call. A model whose chat template has function calls writes them
 * as in its template, any other model as a JSON object in `<tool_call>` tags. Tools are further functions.
 */
export function create(options: FunctionCallingOptions): ActionFormat {
  return createWith(options, [], undefined);
}

function createWith(
  options: FunctionCallingOptions,
  tools: readonly FunctionDefinition[],
  syntax: FunctionCallSyntax | undefined,
): ActionFormat {
  const { functionName, thought } = options;
  const shape = syntax ?? usualShape;
  if (tools.some(({ name }) => name === functionName)) {
    throw new Error(`the function \`${functionName}\` is the action: set the option \`functionName\` to another name`);
  }
  const functions = [actFunction(functionName), ...tools];
  const write = (action: string) => writeCall({ name: functionName, arguments: { action } }, shape);
  const format = buildFormat(
    {
      instructions: [
        writeInstructions(
          thought,
          writeLabelled,
          `Every answer ends with one call, and ${functionName} takes your action.`,
        ),
        syntax?.describe(functions) ?? describeFunctions(functions, shape),
      ].join('\n\n'),
      cure: `Call one function: ${write('ACTION')}`,
      read: (text) => readAction(text, functionName, shape),
      write: (action) => [...writeSections(thought, writeLabelled), write(action)].join('\n'),
    },
    options,
  );
  return {
    ...format,
    readCall(text) {
      const found = readCall(text, shape);
      return 'malformed' in found || found.call.name === functionName ? undefined : found.call;
    },
    writeCall: (call) => writeCall(call, shape),
    callsFunction: (text) => !('malformed' in readCall(text, shape)),
    withFunctions: (further, model) => createWith(options, further, model),
  };
}

function actFunction(name: string): FunctionDefinition {
  const action = { type: 'string', description: 'The action' };
  const parameters = { type: 'object', properties: { action }, required: ['action'] };
  return { name, description: 'Acts in the environment.', parameters };
}

function describeFunctions(functions: readonly FunctionDefinition[], { before, after, argumentsKey }: Shape): string {
  const list = functions.map((one) => JSON.stringify({ type: 'function', function: one }));
  const call = `{"name": FUNCTION, ${JSON.stringify(argumentsKey)}: ARGUMENTS}`;
  return ['Functions:', ...list, 'A call:', `${before}${call}${after}`].join('\n');
}

/** Marks of the syntax inside the names and values are escaped, so that they end nothing. */
function writeCall({ name, arguments: given }: FunctionCall, { before, after, argumentsKey }: Shape): string {
  const write = (value: Json) =>
    [before.trim(), after.trim()]
      .filter((mark) => mark !== '')
      .reduce((text, mark) => text.replaceAll(mark, escapeFirst(mark)), JSON.stringify(value));
  const values = Object.entries(given).map(([key, value]) => `${write(key)}: ${write(value)}`);
  return `${before}{"name": ${write(name)}, ${JSON.stringify(argumentsKey)}: {${values.join(', ')}}}${after}`;
}

/** The mark as in a string of JSON, with its first character escaped. */
function escapeFirst(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}${mark.slice(1)}`;
}

function readAction(text: string, functionName: string, shape: Shape): Reading {
  const found = readCall(text, shape);
  if ('malformed' in found) return found;
  const { call, start } = found;
  if (call.name !== functionName) return { malformed: 'there is no function of that name' };
  const { action } = call.arguments;
  if (typeof action !== 'string') return { malformed: `${functionName} takes a string "action"` };
  return { action, sections: findLabelledSections(text.slice(0, start)) };
}

/** The last call of a text, and where it starts. */
function readCall(
  text: string,
  shape: Shape,
): { readonly call: FunctionCall; readonly start: number } | { readonly malformed: string } {
  const found = findCall(text, shape);
  if (found === undefined) return { malformed: 'no function call' };
  const read = readJsonObject(found.content);
  if (typeof read === 'string') return { malformed: `the call is ${read}` };
  const values = new Map(Object.entries(read.object));
  const name = values.get('name');
  if (typeof name !== 'string') return { malformed: 'the call has no "name"' };
  let given = values.get(shape.argumentsKey);
  if (typeof given === 'string') {
    // Some models write the arguments as JSON in a string.
    const inner = readJsonObject(given);
    if (typeof inner !== 'string') given = inner.object;
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { malformed: `the call has no object "${shape.argumentsKey}"` };
  }
  return { call: { name, arguments: given as { [name: string]: Json } }, start: found.start };
}

/**
 * The start of a call without marks: a line that begins with a brace. Models of Llama 3.1 and later put the token of
 * their built-in tools in front of calls of other functions, too (vLLM's parser `llama3_json` takes both).
 */
const bareCall = /^[ \t]*(?:<\|python_tag\|>[ \t]*)?(?=\{)/mu;

/** The JSON of the last call. Without marks it lasts from the start of the first call to the end. */
function findCall(text: string, { before, after }: Shape): { start: number; content: string } | undefined {
  const [open, close] = [before.trim(), after.trim()];
  if (open !== '' && close !== '') return findLastOuter(text, open, close);
  if (open !== '') {
    const start = text.lastIndexOf(open);
    return start === -1 ? undefined : { start, content: text.slice(start + open.length) };
  }
  const found = bareCall.exec(text);
  return found === null ? undefined : { start: found.index, content: text.slice(found.index + found[0].length) };
}
