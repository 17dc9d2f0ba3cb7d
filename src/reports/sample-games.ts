import { join } from 'node:path';

import { longestLog, readTextFile } from '../files/read-whole-file.js';
import type { CompletedEpisode, Episode } from '../contracts/trajectory.js';
import { evaluationEpisodes } from '../experiments/evaluator.js';

/** One task, played by the policy before and after reinforcement learning. */
export interface SampleGames {
  readonly before: CompletedEpisode;
  readonly after: CompletedEpisode;
}

/**
 * A task of the final evaluation that both policies played: the first that only the trained one solved, or the first of
 * all. Undefined if the run recorded no such episodes.
 */
export async function sampleGames(run: string): Promise<SampleGames | undefined> {
  const [before, after] = await Promise.all([
    readEpisodes(run, evaluationEpisodes.start),
    readEpisodes(run, evaluationEpisodes.final),
  ]);
  const pairs = before.flatMap((first): SampleGames[] => {
    const second = after.find(({ task, member }) => task === first.task && member === first.member);
    return second === undefined ? [] : [{ before: first, after: second }];
  });
  return pairs.find((pair) => !pair.before.success && pair.after.success) ?? pairs[0];
}

async function readEpisodes(run: string, name: string): Promise<CompletedEpisode[]> {
  const text = await readTextFile(join(run, 'episodes', `${name}.jsonl`), longestLog).catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Episode).filter((episode) => episode.status === 'completed');
}
