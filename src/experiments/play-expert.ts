import type { RunPlan } from '../config/run-plan.js';
import type { JsonObject } from '../contracts/json.js';
import { type DemonstrationHeader, headerOf } from '../demonstrations/demonstration-header.js';
import { type CollectedDemonstrations, collectDemonstrations } from '../rollout/collect-demonstrations.js';
import { shareGames } from '../runs/shared-games.js';
import type { DemonstrationContext, EntryStage } from './stage-demonstrations.js';

/** Which games of a stage's expert are played. */
export interface ExpertPlay {
  readonly split: 'train' | 'validation';
  /** Path of their random stream below the run's root. */
  readonly stream: readonly [use: string, stage: string];
  /** Place of the first game; absent: 0. */
  readonly first?: number;
  readonly count: number;
}

/** Games of a stage's expert, or those that another run of the ablation has played. */
export async function playExpert(
  plan: RunPlan,
  stage: EntryStage,
  context: DemonstrationContext,
  { split, stream, first = 0, count }: ExpertPlay,
): Promise<Pick<CollectedDemonstrations, 'episodes' | 'outcomes'>> {
  const { entry, environment, random, sharedGames, signal } = context;
  const path = entry.entry === undefined ? stream : [...stream, entry.entry];
  const play = (from: number, many: number): Promise<CollectedDemonstrations> =>
    collectDemonstrations({
      tasks: environment.world.splits[split],
      environments: environment.pool,
      expert: stage.demonstrations.expert,
      first: from,
      count: many,
      successOnly: stage.demonstrations.successOnly,
      horizon: entry.longestHorizon,
      random: random.stream(...path),
      rollout: plan.rollout,
      signal,
    });
  if (sharedGames === undefined) return play(first, count);
  const header = expertHeader(plan, stage, context, split);
  const { retries, deadlineSeconds = null } = plan.recipe.rollout;
  // Experts read no tokens.
  const { observationTokens: _, ...played } = entry.environment;
  const settings = { environment: played as unknown as JsonObject, retries, deadlineSeconds };
  return shareGames(sharedGames, { header, stream: path, settings }, { first, count }, play, signal);
}

/** Describes the games of a stage's expert. */
export function expertHeader(
  { recipe }: RunPlan,
  { demonstrations: { expert, successOnly } }: EntryStage,
  { entry, environment }: DemonstrationContext,
  split: DemonstrationHeader['split'],
): DemonstrationHeader {
  const { longestHorizon: horizon } = entry;
  const filter = successOnly ? { filter: 'success' as const } : {};
  return headerOf(environment, { split, player: expert, horizon, seed: recipe.seed, ...filter });
}
