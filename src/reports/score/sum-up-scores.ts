import type { Turn } from '../../contracts/trajectory.js';
import { correlation } from '../../statistics/correlation.js';
import { mean } from '../../statistics/mean.js';

/** An episode that was scored again. */
export interface EpisodeScore {
  /** Its return in the run, and with the other reward. */
  readonly before: number;
  readonly after: number;
  readonly success: boolean;
  readonly turns: readonly Pick<Turn, 'components'>[];
}

/** Means over the scored episodes; null without any. */
interface Scores {
  /** Number of scored episodes. */
  readonly scored: number;
  readonly before: number | null;
  readonly after: number | null;
  /** Of the returns before and after; null if one of them is the same in all episodes. */
  readonly correlation: number | null;
  /** With the other reward, of the episodes that solved their task, and of the others. */
  readonly afterSuccess: number | null;
  readonly afterFailure: number | null;
  /** Sum of each term's weighted numbers over an episode, by name. */
  readonly terms: { readonly [term: string]: number };
}

/** The scores of a log. */
export interface ScoredLog extends Scores {
  readonly log: string;
  /** Completed episodes of which the log recorded some; null if the run does not tell. */
  readonly played: number | null;
  /** Recorded episodes that had failed in the run. */
  readonly failed: number;
  /** Episodes of groups that were recorded in part, which a judge of whole groups cannot compare. */
  readonly leftOut: number;
  /** Episodes for which a judge failed. */
  readonly unjudged: number;
}

export function sumUpScores(scores: readonly EpisodeScore[]): Scores {
  const meanOf = (values: readonly number[]): number | null => (values.length === 0 ? null : mean(values));
  const after = (success: boolean) => scores.filter((one) => one.success === success).map((one) => one.after);
  const terms: Record<string, number> = {};
  for (const { turns } of scores) {
    for (const { components } of turns) {
      for (const [term, part] of Object.entries(components)) terms[term] = (terms[term] ?? 0) + part / scores.length;
    }
  }
  return {
    scored: scores.length,
    before: meanOf(scores.map((one) => one.before)),
    after: meanOf(scores.map((one) => one.after)),
    correlation: correlation(scores.map((one) => [one.before, one.after])) ?? null,
    afterSuccess: meanOf(after(true)),
    afterFailure: meanOf(after(false)),
    terms,
  };
}
