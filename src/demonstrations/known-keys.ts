/*
 * Keys of lines of demonstrations. A key that is not known may say what is to be learned, so it is refused by name, unless it
 * is empty. Rows of one Arrow or pandas table carry every column, with null where a line had none: null is absent.
 */
import type { Json, JsonObject } from '../contracts/json.js';

/** Keys that only describe a line: where it comes from, what it is about, and what it was worth. */
const about = new Set([
  ...['id', 'uid', 'uuid', 'idx', 'index', 'item_id', 'prompt_id', 'conversation_id', 'session_id', 'trace_id', 'hash'],
  ...['source', 'origin', 'dataset', 'data_source', 'dataset_name', 'dataset_id', 'subset', 'split', 'url', 'license'],
  ...['name', 'title', 'category', 'domain', 'topic', 'type', 'tags', 'language', 'lang', 'difficulty', 'user', 'run'],
  ...['model', 'model_name', 'generator', 'created', 'created_at', 'created_time', 'date', 'time', 'timestamp'],
  ...['score', 'reward', 'rewards', 'return', 'truncated', 'num_turns', 'turn_count'],
  ...['metadata', 'meta', 'extra_info', 'extra', 'note', 'notes', 'comment'],
  // The text of the first message once more (UltraChat).
  'prompt',
]);

/** The same object without keys that are null. */
export function present(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));
}

/**
 * The problem of a key that is neither read nor known to describe the line; undefined if there is none.
 *
 * @param read keys that are read
 */
export function unknownKey(value: JsonObject, read: readonly string[]): string | undefined {
  for (const [key, inner] of Object.entries(value)) {
    if (read.includes(key) || about.has(key) || isEmpty(inner)) continue;
    return `the key ${JSON.stringify(key)} is not known, and it may say what is to be learned: remove it if it does not`;
  }
  return undefined;
}

function isEmpty(value: Json): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}
