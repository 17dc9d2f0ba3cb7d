import { isDeepStrictEqual } from 'node:util';

import type { ActionFormat } from '../contracts/format.js';
import type { FunctionCall } from '../contracts/function-calls.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import { systemPrompt } from './actor.js';
import type { DemonstratedEpisode, DemonstratedTurn } from './demonstrated-episode.js';
import type { Demonstration } from './demonstration.js';
import { refitFormat } from './fit-format.js';
import { callJson, readTextCalls, writeTextCall } from './text-calls.js';
import type { ToolList } from './toolbox.js';

/** How a policy writes and what it is told before the first observation. */
export interface WritingPolicy {
  readonly format: ActionFormat;
  /** Tools that the policy may call. Absent: no tools. */
  readonly tools?: ToolList | undefined;
  /** The world's rules, for episodes without own rules. */
  readonly instructions: string;
  /** The system text of the recipe; it also replaces that of an episode. Absent: the usual one. */
  readonly system?: string | undefined;
}

/** A demonstration in the texts of a policy. */
export interface WrittenDemonstration extends Demonstration {
  /** Number of texts that were not in the policy's action format, and were taken as actions. */
  readonly rendered: number;
}

/**
 * Writes an episode as a policy would have written it. A text stays as it is if the policy's action format finds the
 * same action in it, or if it calls a tool that the policy has. A call in no syntax yet gets that of the format. Otherwise the format writes the action. Texts that were
 * no actions are context: nothing is learned from them.
 *
 * @param name the source of the episode, for messages
 * @throws AG_DEMONSTRATION if the format cannot write an action, or if the policy lacks a tool
 */
export function writeDemonstration(
  episode: DemonstratedEpisode,
  { format: usual, tools: all, instructions, system: own }: WritingPolicy,
  name: string,
): WrittenDemonstration {
  const tools = episode.tools === undefined ? all : all?.choosing(episode.tools);
  const format = tools === all || tools === undefined ? usual : refitFormat(usual, tools);
  const { task, system, turns, finalObservation } = episode;
  const context = new Set<number>();
  let rendered = 0;
  const texts = turns.map((turn, index) => {
    const { text = '', action, isContext, malformed, tools: called } = turn;
    if (isContext || malformed !== undefined) context.add(index);
    if (turn.calls !== undefined)
      return writeCalls(turn.calls, text, { format, tools }, `Turn ${index + 1} of ${name}`);
    if (context.has(index)) return turn.text ?? action ?? '';
    if (callsTool(turn, tools, format)) return text;
    if (called !== undefined) {
      throw new AgentgymError('AG_DEMONSTRATION', {
        message: `Turn ${index + 1} of ${name} calls \`${called.join('` and `')}\`, which the policy does not have as a tool, or writes such a call in another way.`,
        hint: 'Add the tool to `tools` of the recipe, or leave the episode out.',
      });
    }
    if (turn.text !== undefined && isWritten(turn, format)) return text;
    if (action === undefined) rendered += 1;
    return writeAction(action ?? text, format);
  });
  const calls = new Set(texts.flatMap((text, index) => (format.callsFunction?.(text) ? [index] : [])));
  return {
    name,
    ...(task !== undefined && { task }),
    system:
      (own === undefined ? system : undefined) ??
      systemPrompt(episode.instructions ?? instructions, format, tools, own),
    observations: [
      ...turns.map(({ observation }) => observation),
      ...(finalObservation === undefined ? [] : [finalObservation]),
    ],
    texts,
    ...(context.size > 0 && { context }),
    ...(calls.size > 0 && { calls }),
    rendered,
  };
}

/**
 * Calls behind the text of their message, in the syntax of the format. Throws AG_DEMONSTRATION if the format writes no calls,
 * or if the policy has neither such an action nor such a tool.
 */
function writeCalls(
  calls: readonly FunctionCall[],
  text: string,
  { format, tools }: Pick<WritingPolicy, 'format'> & { readonly tools: ToolList | undefined },
  place: string,
): string {
  const names = calls.map(({ name }) => `\`${name}\``).join(' and ');
  const refuse = (problem: string, hint: string, cause?: unknown) =>
    new AgentgymError('AG_DEMONSTRATION', {
      message: `${place} calls the function ${names}, ${problem}.`,
      hint,
      ...(cause !== undefined && { cause }),
    });
  const isOfWorld = calls.every(({ name }) => tools?.worldTools.some((tool) => tool.name === name));
  if (format.writeCall === undefined && !isOfWorld) {
    throw refuse(
      'which the action format of the recipe cannot write',
      'Set `format.name: function-calling`, and `format.options.functionName` to the function that is the action; or write the action into the content.',
    );
  }
  let written: string;
  try {
    written = [
      ...(text === '' ? [] : [text]),
      ...calls.map((call) => format.writeCall?.(call) ?? writeTextCall(call)),
    ].join('\n');
  } catch (error) {
    throw refuse(`which the action format cannot write: ${messageOf(error)}`, 'Leave the episode out.', error);
  }
  const readings = (format.readCalls?.(written) ?? readTextCalls(written)).map((one) => 'call' in one && one.call);
  const areTools = isDeepStrictEqual(readings, calls) && callsTool({ text: written }, tools, format);
  const parsed = format.parse(written);
  const [call, ...others] = calls;
  const isAction =
    others.length === 0 &&
    call !== undefined &&
    'action' in parsed &&
    (parsed.action === call.arguments['action'] || parsed.action === callJson(call));
  if (areTools || isAction) return written;
  throw refuse(
    'which is neither the action of the recipe, with a text `action` as its argument, nor one of its tools',
    'Set `format.options.functionName`, add the tool to `tools`, or write the action into the content.',
  );
}

function callsTool(
  { text }: Pick<DemonstratedTurn, 'text'>,
  tools: ToolList | undefined,
  format: ActionFormat,
): boolean {
  const found = text === undefined ? undefined : tools?.read(text, format);
  return found?.every(({ reading }) => 'call' in reading) === true;
}

/** Whether the format finds the turn's action in its text. A text whose action is unknown may contain any action. */
function isWritten({ text = '', action }: DemonstratedTurn, format: ActionFormat): boolean {
  const parsed = format.parse(text);
  return 'action' in parsed && (action === undefined || parsed.action.trim() === action.trim());
}

/**
 * The text that a policy would write for an action. Throws if the format cannot write it, or parses another action from
 * it.
 */
export function writeAction(action: string, format: ActionFormat): string {
  const text = renderAction(action.trim(), format);
  const parsed = format.parse(text);
  if (!('action' in parsed) || parsed.action !== action.trim()) {
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `The action format reads the expert's action ${JSON.stringify(action)} back as ${JSON.stringify(parsed)}.`,
    });
  }
  return text;
}

function renderAction(action: string, format: ActionFormat): string {
  try {
    return format.render(action);
  } catch (error) {
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `The action format cannot write an action of the expert: ${messageOf(error)}`,
      hint: 'Choose a format that can write every action, such as `--set format.name=json`, or a larger `format.options.maxCharacters`.',
      cause: error,
    });
  }
}
