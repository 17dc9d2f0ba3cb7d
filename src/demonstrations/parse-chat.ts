import type { Json, JsonObject } from '../contracts/json.js';
import type { DemonstratedEpisode, DemonstratedTurn } from '../rollout/demonstrated-episode.js';
import { learningMark, markKeys } from './learning-marks.js';
import { readOutcome } from './optional-keys.js';
import { type ChatMessage, readMessage } from './read-message.js';

/**
 * A chat `{"messages": [{"role", "content"}, ...], "task"?, "system"?, "success"?}`: at most one system message first, then
 * observations and actions in turns. Returns the problem of a broken line.
 */
export function parseMessages(value: JsonObject): DemonstratedEpisode | string {
  return parseChat(value, 'messages', 'task');
}

/**
 * An item of AgentTraj-L: `{"item_id", "conversations": [{"from": "human" | "gpt", "loss", "value"}, ...]}`. The first pair is
 * the instruction and its acknowledgement, whose `loss` is false. Returns the problem of a broken item.
 *
 * Source: AgentGym (Xi et al. 2024), the data sets AgentTraj and AgentTraj-L.
 */
export function parseConversations(value: JsonObject): DemonstratedEpisode | string {
  return parseChat(value, 'conversations', 'item_id');
}

function parseChat(value: JsonObject, listKey: string, taskKey: string): DemonstratedEpisode | string {
  const outcome = readOutcome(value, [taskKey, 'system'], [listKey, ...markKeys]);
  if (typeof outcome === 'string') return outcome;
  const mark = learningMark(value);
  if (typeof mark === 'string') return mark;
  if (mark.learned === false) return 'it is marked not to be learned: remove the line';
  const messages = value[listKey];
  if (!Array.isArray(messages)) return `"${listKey}" is not a list`;
  const chat: ChatMessage[] = [];
  for (const [index, message] of (messages as readonly Json[]).entries()) {
    const read = readMessage(message);
    if (typeof read === 'string') return `message ${index + 1}: ${read}`;
    chat.push(read);
  }
  const beside = value['system'] as string | undefined;
  const first = chat[0]?.role === 'system' ? chat[0].content : undefined;
  if (beside !== undefined && first !== undefined && beside !== first) {
    return '"system" and the system message contradict each other';
  }
  const system = first ?? beside;
  // A chat may mark what is learned with `loss: true`, as AgentTraj-L does. Then actions without a mark are context.
  const marksEach = messages.some((message) => (message as JsonObject)['loss'] === true);
  const turns = alternate(chat.slice(first === undefined ? 0 : 1), first === undefined ? 1 : 2, marksEach);
  if (typeof turns === 'string') return turns;
  const task = value[taskKey] as string | undefined;
  return { task, system, ...turns, ...outcome };
}

/**
 * The turns of a chat in which observations and actions alternate. Answers to several calls of an action are one
 * observation, as in an episode. A last observation without an action is the final
 * one. Returns the problem if they do not alternate, or if nothing would be learned.
 *
 * @param first number of the first message, for the problem
 * @param onlyMarked whether an action without a mark is context
 */
function alternate(
  chat: readonly ChatMessage[],
  first: number,
  onlyMarked: boolean,
): Pick<DemonstratedEpisode, 'turns' | 'finalObservation'> | string {
  const turns: DemonstratedTurn[] = [];
  let observation: string | undefined;
  let answered = 0;
  for (const [index, { role, content, calls, isAnswer, learned = !onlyMarked }] of chat.entries()) {
    const expected = observation === undefined ? 'user' : 'assistant';
    if (isAnswer && observation !== undefined && (turns.at(-1)?.calls?.length ?? 0) > answered) {
      observation = `${observation}\n${content}`;
      answered += 1;
      continue;
    }
    if (role !== expected) return `message ${first + index}: observations and actions do not alternate`;
    if (observation === undefined) [observation, answered] = [content, 1];
    else {
      turns.push({ observation, text: content, calls, ...(!learned && { isContext: true as const }) });
      observation = undefined;
    }
  }
  if (turns.every(({ isContext }) => isContext)) return 'it has no action to learn';
  return { turns, finalObservation: observation };
}
