import type { JsonObject } from '../contracts/json.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { isObject } from './demonstration-header.js';
import { outcomeOf } from './optional-keys.js';
import { alternate, type ChatMessage } from './parse-messages.js';

/**
 * An item of AgentTraj-L: `{"item_id", "conversations": [{"from": "human" | "gpt", "loss", "value"}, ...]}`. What a
 * human says is an observation, what gpt says an action. Actions whose `loss` is not true are context, such as the
 * acknowledgement of the instruction. If no action has the key `loss`, all are learned (ShareGPT). A first message from
 * `system` is the system prompt. Returns the problem of a broken item.
 *
 * Source: AgentGym (Xi et al. 2024), the data sets AgentTraj and AgentTraj-L.
 */
export function parseConversations(value: JsonObject): DemonstratedEpisode | string {
  const { conversations, item_id: task } = value;
  if (task !== undefined && typeof task !== 'string') return '"item_id" is not a string';
  const outcome = outcomeOf(value);
  if (typeof outcome === 'string') return outcome;
  if (!Array.isArray(conversations)) return '"conversations" is not a list';
  const said = conversations as readonly unknown[];
  const marksLoss = said.some((message) => isObject(message) && message['from'] === 'gpt' && 'loss' in message);
  const chat: ChatMessage[] = [];
  for (const [index, message] of said.entries()) {
    const parsed = parseMessage(message, marksLoss);
    if (typeof parsed === 'string') return `message ${index + 1}: ${parsed}`;
    chat.push(parsed);
  }
  const system = chat[0]?.role === 'system' ? chat[0].content : undefined;
  const turns = alternate(chat.slice(system === undefined ? 0 : 1), system === undefined ? 1 : 2);
  if (typeof turns === 'string') return turns;
  return { ...(task !== undefined && { task }), ...(system !== undefined && { system }), ...turns, ...outcome };
}

const roles = new Map<unknown, ChatMessage['role']>([
  ['human', 'user'],
  ['gpt', 'assistant'],
  ['system', 'system'],
]);

function parseMessage(message: unknown, marksLoss: boolean): ChatMessage | string {
  if (!isObject(message)) return 'it is not an object';
  const { from, value, loss = null } = message;
  const role = roles.get(from);
  if (role === undefined) return `it is from ${JSON.stringify(from)}, not from human or gpt`;
  if (typeof value !== 'string') return '"value" is not a string';
  if (loss !== null && typeof loss !== 'boolean') return '"loss" is not true, false or null';
  return { role, content: value, isContext: role === 'assistant' && marksLoss && loss !== true };
}
