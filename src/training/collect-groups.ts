// The episodes of a step: groups of one task, within the budget, and the units that the algorithm trains on. Groups
// without signal may be replaced by groups of extra tasks.
import type { Algorithm, UpdateSettings } from '../contracts/algorithm.js';
import type { CompletedEpisode, Episode, EpisodeKey } from '../contracts/trajectory.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { ModelActor } from '../rollout/actor.js';
import { collectEpisodes, type CollectOptions } from '../rollout/collect-episodes.js';
import { refuseManyFailures } from '../rollout/failures.js';
import type { TaskOrder } from '../rollout/task-order.js';
import { affordableEpisodes, payForGroups, type StageBudget } from './budget.js';

export interface GroupsOptions {
  readonly collect: CollectOptions & { readonly actor: ModelActor };
  readonly algorithm: Algorithm;
  readonly update: Pick<UpdateSettings, 'groupSize'>;
  /** Groups that a step wants to learn from. */
  readonly tasksPerStep: number;
  /** An endless order of tasks. */
  readonly tasksAt: TaskOrder;
  readonly budget?: StageBudget;
}

/** Where a stage stands. */
export interface GroupsState {
  /** Training iteration, the path of the episodes' streams. */
  readonly iteration: number;
  /** Places of the order of tasks that are used up. */
  readonly tasks: number;
  /** Units of the budget. */
  readonly spent: number;
}

export interface CollectedGroups {
  /** Every sampled episode, failed ones too. */
  readonly episodes: readonly Episode[];
  /** Completed episodes by group, before anything is left out. */
  readonly played: readonly (readonly CompletedEpisode[])[];
  /** The units to train on: rows that stay together. */
  readonly units: readonly (readonly CompletedEpisode[])[];
  /** Groups that units come from. */
  readonly groups: number;
  /** Episodes at temperature 0, by group, where the algorithm asks for them. */
  readonly greedy: ReadonlyMap<number, CompletedEpisode>;
  /** Further rounds that were played. */
  readonly refills: number;
  readonly tasks: number;
  readonly spent: number;
  /** The budget could not pay for all of it, or for no further group. */
  readonly exhausted: boolean;
}

/** Settings of a stage about its groups. */
type StagedGroups = Pick<GroupsOptions, 'update' | 'budget'> & { readonly name: string };
type GroupKind = Pick<GroupsOptions, 'update' | 'algorithm'>;

function episodesPerGroup({ update: { groupSize }, algorithm }: GroupKind): number {
  return groupSize + (algorithm.roles.includes('greedy') ? 1 : 0);
}

/** Groups that can still be begun: a bound from above, where turns and tokens cost something too. */
export function affordableGroups(budget: StageBudget, spent: number, kind: GroupKind): number {
  return Math.floor(affordableEpisodes(budget, spent) / episodesPerGroup(kind));
}

/** Throws AG_RECIPE_INVALID where a stage has units, but not for a single group of episodes. */
export function refuseUnpaidGroups(stage: StagedGroups, algorithm: Algorithm): void {
  const { name, budget, update } = stage;
  if (budget === undefined || budget.units === 0) return;
  if (affordableGroups(budget, 0, { update, algorithm }) > 0) return;
  throw new AgentgymError('AG_RECIPE_INVALID', {
    message: `The budget of the stage \`${name}\` is ${budget.units} units. This is not enough for one group of ${update.groupSize} episodes.`,
    hint: 'Raise `budget.units` or the share of the stage in `budget.split`, or give it a share of 0, which skips it.',
    path: 'budget.split',
  });
}

/** Plays the groups of a step. */
export async function collectGroups(options: GroupsOptions, state: GroupsState): Promise<CollectedGroups> {
  const { algorithm, budget, tasksPerStep, tasksAt } = options;
  const { groupSize } = options.update;
  const price = episodesPerGroup(options);
  const payable = (units: number): number =>
    budget === undefined ? Infinity : affordableGroups(budget, units, options);
  const episodes: Episode[] = [];
  const played: (readonly CompletedEpisode[])[] = [];
  const units: (readonly CompletedEpisode[])[] = [];
  const greedy = new Map<number, CompletedEpisode>();
  let { spent } = state;
  let [tasks, groups, round, overdrawn] = [0, 0, 0, false];

  while (round <= (algorithm.refillRounds ?? 0) && groups < tasksPerStep && !overdrawn) {
    // Tasks, each for a whole group, and no more than can be paid for.
    const count = Math.min(tasksPerStep - groups, payable(spent));
    if (count === 0) break;
    const first = tasks;
    const ids = await tasksAt(state.tasks + first, count);
    const keys = (members: readonly number[]): EpisodeKey[] =>
      ids
        .map((task, index) => ({ iteration: state.iteration, task, group: first + index }))
        .flatMap((group) => members.map((member) => ({ ...group, member })));

    const sampled = await collectEpisodes(
      keys(Array.from({ length: groupSize }, (_, member) => member)),
      options.collect,
    );
    refuseManyFailures(sampled, options.collect.rollout.maxFailedShare, options.collect.environments.world);
    episodes.push(...sampled);
    if (price > groupSize) {
      for (const episode of await collectEpisodes(keys([groupSize]), greedily(options.collect))) {
        if (episode.status === 'completed') greedy.set(episode.group, episode);
      }
    }

    // Groups: paid for, then those that the algorithm can learn from. Without the greedy episode it asked for, it
    // cannot.
    const completed = completedGroups(sampled);
    played.push(...completed);
    const whole = completed.map((group) => [
      ...group,
      ...(greedy.has(group[0]!.group) ? [greedy.get(group[0]!.group)!] : []),
    ]);
    const purchase = budget === undefined ? undefined : payForGroups(budget, spent, whole);
    const paid = completed.slice(0, purchase?.groups.length ?? completed.length);
    spent = purchase?.spent ?? spent;
    overdrawn = purchase?.overdrawn ?? false;
    for (const group of paid) {
      if (price > groupSize && !greedy.has(group[0]!.group)) continue;
      const chosen = algorithm.select?.(group) ?? [group];
      if (chosen.length > 0) groups += 1;
      units.push(...chosen);
    }
    tasks += count;
    round += 1;
  }
  return {
    episodes,
    played,
    units,
    groups,
    greedy,
    refills: Math.max(0, round - 1),
    tasks: state.tasks + tasks,
    spent,
    exhausted: overdrawn || payable(spent) === 0,
  };
}

/** The same at temperature 0. */
function greedily(collect: GroupsOptions['collect']): CollectOptions {
  const { actor } = collect;
  return { ...collect, actor: { ...actor, sampling: { temperature: 0, topP: 1, topK: 0 } } };
}

/** Completed episodes by group; a group that failed altogether is none. */
function completedGroups(episodes: readonly Episode[]): CompletedEpisode[][] {
  const groups = new Map<number, CompletedEpisode[]>();
  for (const episode of episodes) {
    if (episode.status !== 'completed') continue;
    const group = groups.get(episode.group) ?? [];
    group.push(episode);
    groups.set(episode.group, group);
  }
  return [...groups.values()];
}
