import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { CompletedEpisode, Episode } from '../contracts/trajectory.js';
import { evaluationEpisodes } from '../experiments/evaluator.js';
import { taskName } from '../rollout/task-name.js';
import { readJsonLines } from '../files/read-json-lines.js';
import { checkLine } from '../runs/recorded-shapes.js';

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
    const second = after.find((other) => taskName(other) === taskName(first) && other.member === first.member);
    return second === undefined ? [] : [{ before: first, after: second }];
  });
  return pairs.find((pair) => !pair.before.success && pair.after.success) ?? pairs[0];
}

async function readEpisodes(run: string, name: string): Promise<CompletedEpisode[]> {
  const file = join(run, 'episodes', `${name}.jsonl`);
  const episodes: CompletedEpisode[] = [];
  if (!existsSync(file)) return episodes;
  for await (const { document, number } of readJsonLines<Episode>(file)) {
    checkLine('episode', document, file, number);
    if (document.status === 'completed') episodes.push(document);
  }
  return episodes;
}
