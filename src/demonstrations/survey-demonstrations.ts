import { isDeepStrictEqual } from 'node:util';

import type { DemonstrationHeader, PlayedEnvironment } from './demonstration-header.js';
import { fileDigest, type FileDigest } from './file-digest.js';
import type { FileLayout } from './file-layout.js';
import { readEpisodes } from './read-episodes.js';

/** What a file of demonstrations contains. */
export interface DemonstrationSurvey extends FileDigest {
  readonly file: string;
  readonly layout: FileLayout;
  /** Present in our own layout: the environments, mostly one. */
  readonly environments?: readonly PlayedEnvironment[];
  readonly splits?: readonly string[];
  readonly players?: readonly string[];
  readonly episodes: number;
  /** Number of distinct tasks. */
  readonly tasks: number;
  readonly withoutTask: number;
  readonly turns: number;
  /** Turns of the longest episode. */
  readonly longest: number;
  /** Turns from which nothing is learned: context, and texts that were no actions. */
  readonly contextTurns: number;
  readonly toolCalls: number;
  /** Share of successes among the episodes that say whether they succeeded. Null if none says so. */
  readonly success: number | null;
  /** Number of episodes that do not say so. */
  readonly withoutOutcome: number;
}

/**
 * Reads a whole file of demonstrations. Memory grows only with the number of its tasks.
 *
 * @throws AG_DEMONSTRATION with file and line
 */
export async function surveyDemonstrations(file: string): Promise<DemonstrationSurvey> {
  const headers: DemonstrationHeader[] = [];
  const tasks = new Set<string>();
  let layout: FileLayout = 'agentgym';
  let [episodes, withoutTask, turns, longest, contextTurns, toolCalls, successes, withoutOutcome] = [
    0, 0, 0, 0, 0, 0, 0, 0,
  ];
  for await (const { episode, header, layout: own } of readEpisodes(file)) {
    layout = own;
    if (header !== undefined && headers.at(-1) !== header) headers.push(header);
    episodes += 1;
    if (episode.task === undefined) withoutTask += 1;
    else tasks.add(episode.task);
    turns += episode.turns.length;
    longest = Math.max(longest, episode.turns.length);
    for (const { calls, isContext, malformed, tools = [] } of episode.turns) {
      if (isContext === true || malformed !== undefined) contextTurns += 1;
      toolCalls += calls?.length ?? tools.length;
    }
    if (episode.success === undefined) withoutOutcome += 1;
    else successes += Number(episode.success);
  }
  const known = episodes - withoutOutcome;
  return {
    file,
    layout,
    ...(headers.length > 0 && {
      environments: distinct(headers.map(({ environment }) => environment)),
      splits: distinct(headers.map(({ split }) => split)),
      players: distinct(headers.map(({ player }) => player)),
    }),
    episodes,
    tasks: tasks.size,
    withoutTask,
    turns,
    longest,
    contextTurns,
    toolCalls,
    success: known === 0 ? null : successes / known,
    withoutOutcome,
    ...(await fileDigest(file)),
  };
}

function distinct<T>(values: readonly T[]): readonly T[] {
  return values.filter((value, index) => values.findIndex((other) => isDeepStrictEqual(other, value)) === index);
}
