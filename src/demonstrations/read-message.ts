import type { FunctionCall } from '../contracts/function-calls.js';
import type { Json, JsonObject } from '../contracts/json.js';
import { isObject } from './demonstration-header.js';
import { present, unknownKey } from './known-keys.js';
import { learningMark, markKeys } from './learning-marks.js';
import { readCall, readCalls } from './read-call.js';

/** A message of a chat, whatever its layout calls the roles. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** The functions that an action calls. */
  readonly calls?: readonly FunctionCall[] | undefined;
  /** It answers a call. */
  readonly isAnswer?: true;
  /** Whether it is learned. Absent: it has no mark. */
  readonly learned?: boolean | undefined;
}

/** Roles by their names in chats of OpenAI and TRL, of AgentTraj-L and ShareGPT, and of LLaMA-Factory. */
const roles = new Map<unknown, ChatMessage['role']>([
  ...(['system', 'developer'] as const).map((name) => [name, 'system'] as const),
  ...(['user', 'human', 'tool', 'function', 'observation'] as const).map((name) => [name, 'user'] as const),
  ...(['assistant', 'gpt', 'function_call'] as const).map((name) => [name, 'assistant'] as const),
]);

/** Roles that answer calls. */
const answers = new Set<unknown>(['tool', 'function', 'observation']);

const readKeys = [
  ...['role', 'from', 'content', 'value', 'tool_calls', 'function_call', 'tool_call_id', 'message_id', ...markKeys],
];

/** Reads a message with `role` and `content`, or with `from` and `value`. Returns its problem if it cannot be used. */
export function readMessage(given: Json): ChatMessage | string {
  if (!isObject(given)) return 'it is not an object';
  const message = present(given);
  for (const [one, other] of [
    ['role', 'from'],
    ['content', 'value'],
  ] as const) {
    if (one in message && other in message) return `it has both "${one}" and "${other}"`;
  }
  const { role: name = message['from'], content = message['value'] } = message;
  const role = roles.get(name);
  if (role === undefined) return roleProblem(message);
  const problem = thoughtProblem(message) ?? unknownKey(message, readKeys);
  if (problem !== undefined) return problem;
  const mark = learningMark(message);
  if (typeof mark === 'string') return mark;
  const { learned } = mark;
  if (learned === true && role !== 'assistant') return 'it is marked to be learned, but it is not an action';
  const calls = name === 'function_call' ? callIn(content) : readCalls(message);
  if (typeof calls === 'string') return calls;
  if (calls !== undefined && role !== 'assistant') return 'it calls a function, but it is not an action';
  const text = name === 'function_call' ? '' : textOf(content, calls !== undefined);
  if (text === undefined) return `"${'from' in message ? 'value' : 'content'}" ${contentProblem(content)}`;
  return { role, content: text, calls, learned, ...(answers.has(name) && { isAnswer: true }) };
}

function roleProblem(message: JsonObject): string {
  const { role, from } = message;
  if (role !== undefined || from === undefined) {
    return `its role is ${JSON.stringify(role)}, not system, user, tool or assistant`;
  }
  return `it is from ${JSON.stringify(from)}, not from human or gpt`;
}

/** A model writes its thoughts in a place that only its chat template knows, so they are not put into the text. */
function thoughtProblem(message: JsonObject): string | undefined {
  const key = ['reasoning_content', 'reasoning', 'thinking'].find((name) => (message[name] ?? '') !== '');
  if (key === undefined) return undefined;
  return `"${key}" is not learned: write the thoughts into the content as the policy should write them, or remove the key`;
}

/** A text, or the texts of a list of parts. A message that calls a function may have none. */
function textOf(content: Json | undefined, calls: boolean): string | undefined {
  if (content === undefined) return calls ? '' : undefined;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const parts = (content as readonly Json[]).map((part) =>
    isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : undefined,
  );
  return parts.includes(undefined) ? undefined : parts.join('');
}

/** Why a content has no text. */
function contentProblem(content: Json | undefined): string {
  const parts = Array.isArray(content) ? (content as readonly Json[]) : [];
  const types = parts.map((part) => (isObject(part) ? part['type'] : undefined));
  const other = types.find((type) => typeof type === 'string' && type !== 'text');
  return other === undefined ? 'is not a string' : `has a part of the type ${JSON.stringify(other)}: only text is read`;
}

/** The call that a message of the role `function_call` has as its text. */
function callIn(content: Json | undefined): readonly FunctionCall[] | string {
  try {
    const call = readCall(typeof content === 'string' ? (JSON.parse(content) as Json) : (content ?? null));
    return typeof call === 'string' ? call : [call];
  } catch {
    return 'its call is not JSON';
  }
}
