import type { FunctionCallSyntax, FunctionDefinition } from '../../contracts/function-calls.js';
import { messageOf } from '../../errors/message-of.js';
import { RequestError } from './request-error.js';
import type { WrittenCall } from './read-tool-calls.js';
import { pythonJson } from './written-json.js';

/** The syntax of Hermes and Qwen, for models whose chat template has none. The format `function-calling` uses the same. */
export const usualSyntax: FunctionCallSyntax = {
  before: '<tool_call>\n',
  after: '\n</tool_call>',
  argumentsKey: 'arguments',
  describe: () => undefined,
};

/**
 * A system text with the functions behind it: in the words of the chat template if it has some.
 *
 * @throws RequestError if the template cannot describe these functions
 */
export function addTools(system: string, functions: readonly FunctionDefinition[], syntax: FunctionCallSyntax): string {
  if (functions.length === 0) return system;
  const described = describe(functions, syntax) ?? describeFunctions(functions, syntax);
  return [system, described].filter((text) => text !== '').join('\n\n');
}

/** The template's text. Functions whose texts it cannot tell from its own control tokens are the client's fault. */
function describe(functions: readonly FunctionDefinition[], syntax: FunctionCallSyntax): string | undefined {
  try {
    return syntax.describe(functions);
  } catch (error) {
    throw new RequestError(400, messageOf(error), { param: 'tools' });
  }
}

function describeFunctions(
  functions: readonly FunctionDefinition[],
  { after, argumentsKey, before }: FunctionCallSyntax,
): string {
  const list = functions.map((one) => JSON.stringify({ type: 'function', function: one }));
  const call = `{"name": FUNCTION, ${JSON.stringify(argumentsKey)}: ARGUMENTS}`;
  return ['Functions:', ...list, 'A call:', `${before}${call}${after}`].join('\n');
}

/** A message of the assistant as the model writes it: its text, then its calls, whose arguments are JSON. */
export function writeCalls(
  content: string,
  calls: readonly Pick<WrittenCall, 'json' | 'name'>[],
  syntax: FunctionCallSyntax,
): string {
  const { after, argumentsKey, before } = syntax;
  const written = calls.map(
    ({ json, name }) =>
      `${before}{"name": ${JSON.stringify(name)}, ${JSON.stringify(argumentsKey)}: ${pythonJson(json)}}${after}`,
  );
  return [...(content === '' ? [] : [content]), ...written].join('\n');
}
