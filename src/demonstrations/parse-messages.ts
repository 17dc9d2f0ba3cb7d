import type { JsonObject } from '../contracts/json.js';
import type { DemonstratedEpisode, DemonstratedTurn } from '../rollout/demonstrated-episode.js';
import { isObject } from './demonstration-header.js';
import { optionalString, outcomeOf } from './optional-keys.js';

/**
 * A chat `{"messages": [{"role", "content"}, ...], "task"?, "success"?}`: at most one system message first, then user
 * or tool and assistant in turns. A message of a user or of a tool is an observation, whose role follows from the action
 * before it; an assistant message is an action. An assistant message with `"weight": 0` is context, as in the
 * fine-tuning files of OpenAI. Returns the problem of a broken line.
 */
export function parseMessages(value: JsonObject): DemonstratedEpisode | string {
  const { messages, task } = value;
  const problem = optionalString(value, 'task');
  if (problem !== undefined) return problem;
  const outcome = outcomeOf(value);
  if (typeof outcome === 'string') return outcome;
  if (!Array.isArray(messages)) return '"messages" is not a list';
  const chat: ChatMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const parsed = parseMessage(message);
    if (typeof parsed === 'string') return `message ${index + 1}: ${parsed}`;
    chat.push(parsed);
  }
  const system = chat[0]?.role === 'system' ? chat[0].content : undefined;
  const turns = alternate(chat.slice(system === undefined ? 0 : 1), system === undefined ? 1 : 2);
  if (typeof turns === 'string') return turns;
  return {
    ...(task !== undefined && { task: task as string }),
    ...(system !== undefined && { system }),
    ...turns,
    ...outcome,
  };
}

/** A message of a chat, whatever its layout calls the roles. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** An action from which nothing is learned. */
  readonly isContext?: boolean;
}

function parseMessage(message: unknown): ChatMessage | string {
  if (!isObject(message)) return 'it is not an object';
  const { role, content, weight } = message;
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool') {
    return `its role is ${JSON.stringify(role)}, not system, user, tool or assistant`;
  }
  if (typeof content !== 'string') return '"content" is not a string';
  if (weight !== undefined && weight !== 0 && weight !== 1) return '"weight" is not 0 or 1';
  return { role: role === 'tool' ? 'user' : role, content, ...(weight === 0 && { isContext: true }) };
}

/**
 * The turns of a chat in which observations and actions alternate. A last observation without an action is the final
 * one. Returns the problem if they do not alternate, or if nothing would be learned.
 *
 * @param first number of the first message, for the problem
 */
export function alternate(
  chat: readonly ChatMessage[],
  first: number,
): Pick<DemonstratedEpisode, 'turns' | 'finalObservation'> | string {
  const turns: DemonstratedTurn[] = [];
  let observation: string | undefined;
  for (const [index, { role, content, isContext = false }] of chat.entries()) {
    const expected = observation === undefined ? 'user' : 'assistant';
    if (role !== expected) return `message ${first + index}: observations and actions do not alternate`;
    if (observation === undefined) observation = content;
    else {
      turns.push({ observation, text: content, ...(isContext && { isContext }) });
      observation = undefined;
    }
  }
  if (turns.every(({ isContext }) => isContext)) return 'it has no action to learn';
  return { turns, ...(observation !== undefined && { finalObservation: observation }) };
}
