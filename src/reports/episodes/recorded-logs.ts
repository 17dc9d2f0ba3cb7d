import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Episode } from '../../contracts/trajectory.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { readJsonLines } from '../../files/read-json-lines.js';
import { checkLine } from '../../runs/recorded-shapes.js';
import type { RecordedEpisode } from './recorded-episode.js';

/** A log of episodes of a run. */
export interface RecordedLog {
  /** A stage that trains by RL, `evaluation.start` or `evaluation.final`. */
  readonly name: string;
  readonly file: string;
}

/**
 * The logs of a run, in the order of their names.
 *
 * @param wanted their names; absent: all
 * @throws AG_EPISODES_EXPORT if one is missing, or if there is none
 */
export function recordedLogs(run: string, wanted: readonly string[] | undefined): readonly RecordedLog[] {
  const folder = join(run, 'episodes');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
  const names = files.map((file) => decodeURIComponent(file.slice(0, -'.jsonl'.length))).sort();
  const missing = wanted?.find((name) => !names.includes(name));
  if (missing !== undefined || names.length === 0) {
    throw new AgentgymError('AG_EPISODES_EXPORT', {
      message: missing === undefined ? `${run} has no recorded episodes.` : `The run has no log \`${missing}\`.`,
      hint: names.length === 0 ? 'Record some with `record.episodes` in the recipe.' : `It has: ${names.join(', ')}.`,
    });
  }
  return names
    .filter((name) => wanted?.includes(name) ?? true)
    .map((name) => ({ name, file: join(folder, `${encodeURIComponent(name)}.jsonl`) }));
}

/** The episodes of a log. Throws AG_RUN_DAMAGED for a line that is none. */
export async function* readRecorded({
  file,
}: RecordedLog): AsyncGenerator<Episode & Pick<RecordedEpisode, 'stage' | 'step'>> {
  const lines = readJsonLines<Episode & Pick<RecordedEpisode, 'stage' | 'step'>>(file);
  for await (const { document, number } of lines) {
    checkLine('episode', document, file, number);
    yield document;
  }
}

/** An episode of an environment that is not in the run's recipe. */
export function unknownEntry(run: string, entry: string | undefined): AgentgymError {
  const message = `${run} recorded an episode of the environment "${entry}", which its recipe does not have.`;
  return new AgentgymError('AG_RUN_DAMAGED', { message, file: run });
}
