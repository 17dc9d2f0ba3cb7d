import type { Json, JsonObject } from '../contracts/json.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { isHeader } from './demonstration-header.js';
import { parseConversations, parseMessages } from './parse-chat.js';
import { parseEpisode } from './parse-episode.js';
import { parseTexts } from './parse-texts.js';

/** Names of the layouts of files of demonstrations, as recipes use them. */
export const fileLayouts = ['agentgym', 'texts', 'messages', 'conversations'] as const;

/**
 * `agentgym`: what `agentgym demonstrate` writes; `texts`: observations and texts as two lists; `messages`: chats with
 * roles; `conversations`: the layout of AgentTraj-L.
 */
export type FileLayout = (typeof fileLayouts)[number];

/** The parser of each layout: an episode, or the problem of the value. */
export const layoutParsers: { readonly [layout in FileLayout]: (value: JsonObject) => DemonstratedEpisode | string } = {
  agentgym: parseEpisode,
  texts: parseTexts,
  messages: parseMessages,
  conversations: parseConversations,
};

/** The layouts that a file can have whose first value is this. */
export function fittingLayouts(first: JsonObject): readonly FileLayout[] {
  if (isHeader(first)) return ['agentgym'];
  return [
    ...('observations' in first && 'texts' in first ? (['texts'] as const) : []),
    ...(isFilled(first['messages']) ? (['messages'] as const) : []),
    ...(isFilled(first['conversations']) ? (['conversations'] as const) : []),
  ];
}

/** A list that another data set of the same table has may be empty here. */
function isFilled(list: Json | undefined): boolean {
  return list !== undefined && !(Array.isArray(list) && list.length === 0);
}
