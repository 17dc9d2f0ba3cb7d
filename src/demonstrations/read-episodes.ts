import type { JsonObject } from '../contracts/json.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { type DemonstrationHeader, isHeader, isObject, parseHeader } from './demonstration-header.js';
import { type FileLayout, fittingLayouts, layoutParsers } from './file-layout.js';
import { present } from './known-keys.js';
import { type RawValue, readJsonValues } from './read-json-values.js';

/** An episode of a file. */
export interface ReadEpisode {
  readonly episode: DemonstratedEpisode;
  readonly layout: FileLayout;
  /** The header before it, in our own layout. */
  readonly header?: DemonstrationHeader | undefined;
  /** Line in which it begins, from 1. */
  readonly line: number;
  /** "Line 3 of games.jsonl", for messages. */
  readonly place: string;
}

/**
 * The episodes of a file of demonstrations, one by one, so that the file may be larger than memory. A key of a line that is null
 * is absent. A key that is not known is refused, because it may say what is to be learned.
 *
 * @param layout absent: the first line tells
 * @throws AG_DEMONSTRATION with file and line
 */
export async function* readEpisodes(file: string, layout?: FileLayout): AsyncGenerator<ReadEpisode> {
  let known = layout;
  let header: DemonstrationHeader | undefined;
  let episodes = 0;
  try {
    for await (const raw of readJsonValues(file)) {
      const value = parseValue(raw);
      if (typeof value === 'string') throw brokenLine(file, raw, value);
      known ??= detectLayout(file, raw, value);
      if (known === 'agentgym' && isHeader(value)) {
        const parsed = parseHeader(value);
        if (typeof parsed === 'string') throw brokenLine(file, raw, parsed);
        header = parsed;
        continue;
      }
      if (known === 'agentgym' && header === undefined) throw brokenLine(file, raw, 'no header comes before it');
      const episode = layoutParsers[known](value);
      if (typeof episode === 'string') throw brokenLine(file, raw, episode);
      episodes += 1;
      yield { episode, layout: known, header, line: raw.line, place: placeOf(file, raw) };
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new AgentgymError('AG_DEMONSTRATION', {
        message: `${file} cannot be read: ${systemReason(error)}.`,
        hint: 'Check the path of the file. In a recipe, it is relative to the recipe.',
        file,
        cause: error,
      });
    }
    throw error;
  }
  if (episodes === 0) {
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `${file} has no demonstrations.`,
      hint: 'Write some with `agentgym demonstrate ENVIRONMENT --policy EXPERT --output FILE`.',
      file,
    });
  }
}

/** The most keys of a line that a message names. */
const shownKeys = 6;

/** A line that cannot be used, with its file and line. */
export function brokenLine(
  file: string,
  raw: Pick<RawValue, 'line' | 'item'>,
  complaint: string,
  hint?: string,
): AgentgymError {
  return new AgentgymError('AG_DEMONSTRATION', {
    message: `${placeOf(file, raw)} is not a demonstration: ${complaint}.`,
    hint,
    file,
    line: raw.line,
  });
}

function placeOf(file: string, { line, item }: Pick<RawValue, 'line' | 'item'>): string {
  return item === undefined ? `Line ${line} of ${file}` : `Item ${item} (line ${line}) of ${file}`;
}

function parseValue({ text, problem }: RawValue): JsonObject | string {
  if (text === undefined) return problem ?? 'it is empty';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  return isObject(value) ? present(value) : 'it is not a JSON object';
}

/** The layout of a file, by its first value. */
function detectLayout(file: string, raw: RawValue, first: JsonObject): FileLayout {
  const [layout, ...others] = fittingLayouts(first);
  if (layout === undefined) {
    const keys = Object.keys(first).map((key) => `"${key}"`);
    const has = keys.length === 0 ? 'no keys' : `the keys ${keys.slice(0, shownKeys).join(', ')}`;
    throw brokenLine(
      file,
      raw,
      `it has ${has}${keys.length > shownKeys ? ', ...' : ''}, but none of "messages", "conversations" and "texts"`,
      'Write each line as `{"messages": [{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}]}`; ' +
        'docs/demonstrations.md shows the other layouts.',
    );
  }
  if (others.length === 0) return layout;
  throw brokenLine(
    file,
    raw,
    `it fits the layouts ${[layout, ...others].join(' and ')}`,
    'Set `fileFormat` beside `file` to one of them; docs/demonstrations.md shows each.',
  );
}
