import { missingFact, missingFactHint } from '../../config/check-recipe-contributions.js';
import { readRewardFile } from '../../config/read-reward-file.js';
import type { EntryPlan } from '../../config/run-plan.js';
import type { CompletedEpisode, Episode } from '../../contracts/trajectory.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { atKey } from '../../experiments/at-key.js';
import { Instances } from '../../experiments/instances.js';
import type { OpenEnvironment } from '../../experiments/open-environment.js';
import { playedEnvironment } from '../../experiments/open-parts.js';
import type { HostSettings } from '../../plugins/create-host.js';
import type { PluginHost } from '../../plugins/open-plugin-host.js';
import type { ComposedReward } from '../../rollout/compose-reward.js';
import { judgeGroup } from '../../rollout/judge-group.js';
import { referencesOf } from '../../rollout/references-of.js';
import { scoredAgain } from '../../rollout/scored-again.js';
import { readVerdicts } from '../../runs/kept-verdicts.js';
import { loadRun, type LoadedRun } from '../../runs/load-run.js';
import { planOfRun } from '../../runs/plan-of-run.js';
import { recordedLogs, readRecorded, type RecordedLog, unknownEntry } from '../episodes/recorded-logs.js';
import { playedEpisodes } from './played-episodes.js';
import { type EpisodeScore, type ScoredLog, sumUpScores } from './sum-up-scores.js';

export interface ScoreRequest {
  /** The run's folder. */
  readonly run: string;
  /** File with the key `reward` of a recipe. */
  readonly reward: string;
  /** Names of logs, such as `rl` or `evaluation.final`. Absent: all. */
  readonly logs?: readonly string[];
  readonly cwd: string;
  readonly host: PluginHost;
  readonly settings: HostSettings;
}

export interface ScoredRun {
  /** The run's folder. */
  readonly run: string;
  /** Names of the terms, in the order of the file. */
  readonly terms: readonly string[];
  readonly logs: readonly ScoredLog[];
}

/** Groups that judges read at the same time; each judge has a limit of its own. */
const groupsAtOnce = 32;

/**
 * Scores the recorded episodes of a run with another reward, and changes nothing. Verdicts that the run has kept are used
 * again.
 *
 * @throws AG_NOT_A_RUN, AG_RUN_DAMAGED, AG_EPISODES_EXPORT, AG_REWARD_UNAVAILABLE, and the errors of the file and of
 * contributions
 */
export async function scoreRun(request: ScoreRequest): Promise<ScoredRun> {
  const { cwd, host, run, settings } = request;
  const terms = await readRewardFile(request.reward, cwd);
  const loaded = await loadRun(run);
  const logs = recordedLogs(run, request.logs);
  const instances = new Instances(host, settings);
  instances.verdicts.keepIn((await readVerdicts(run)).verdicts, () => Promise.resolve());
  const reward = await atKey(['reward'], () => instances.reward(terms));
  const worlds = new Map<string | undefined, OpenEnvironment>();
  const plan = planOfRun(loaded.manifest);
  const worldOf = async ({ entry }: Episode): Promise<OpenEnvironment> => {
    const open = worlds.get(entry);
    if (open !== undefined) return open;
    const own = plan.entries.find((one) => one.entry === entry);
    if (own === undefined) throw unknownEntry(run, entry);
    const world = await instances.environment(playedEnvironment(plan.recipe, own.environment));
    worlds.set(entry, world);
    await refuseMissingFacts(terms, own, host);
    return world;
  };
  try {
    const scored: ScoredLog[] = [];
    for (const log of logs) scored.push(await scoreLog(log, reward, worldOf, loaded, settings));
    return { run, terms: terms.map(({ name }) => name), logs: scored };
  } finally {
    for (const { pool } of worlds.values()) await pool.dispose();
  }
}

async function scoreLog(
  log: RecordedLog,
  reward: ComposedReward,
  worldOf: (episode: Episode) => Promise<OpenEnvironment>,
  run: LoadedRun,
  { signal }: HostSettings,
): Promise<ScoredLog> {
  const { retries } = run.manifest.recipe.rollout;
  const scores: EpisodeScore[] = [];
  let [failed, leftOut, unjudged] = [0, 0, 0];
  const comparing = reward.judges.some(({ judge }) => judge.compares);

  const scoreGroup = async (group: readonly CompletedEpisode[]): Promise<void> => {
    const [first] = group as readonly [CompletedEpisode];
    // Some judges compare the episodes of a group. Without its other members, they would say something else.
    if (comparing && group.length < (first.groupReturns?.length ?? group.length)) {
      leftOut += group.length;
      return;
    }
    const { pool } = await worldOf(first);
    const { instructions } = pool.world;
    const told = reward.references ? await referencesOf(first.task, pool.world) : undefined;
    const again = group.map((episode) => scoredAgain(episode, reward, episode.references ?? told));
    const judged =
      reward.judges.length === 0 ? again : await judgeGroup(again, { reward, instructions, retries, signal });
    for (const [place, episode] of judged.entries()) {
      if (episode.status === 'failed') unjudged += 1;
      else
        scores.push({
          before: group[place]!.return,
          after: episode.return,
          success: episode.success,
          turns: episode.turns,
        });
    }
  };

  let groups: CompletedEpisode[][] = [];
  const flush = async (): Promise<void> => {
    const all = groups;
    groups = [];
    await Promise.all(all.map(scoreGroup));
  };
  let last: string | undefined;
  for await (const episode of readRecorded(log)) {
    signal.throwIfAborted();
    if (episode.status === 'failed') {
      failed += 1;
      continue;
    }
    const name = [episode.stage, episode.step, episode.entry, episode.group].join(' ');
    if (name !== last && groups.length >= groupsAtOnce) await flush();
    if (name !== last) groups.push([]);
    last = name;
    groups.at(-1)?.push(episode);
  }
  await flush();
  const counts = { failed, leftOut, unjudged, played: playedEpisodes(run, log.name) };
  return { log: log.name, ...counts, ...sumUpScores(scores) };
}

/** A term that needs what the environment never reports would pay nothing, and nobody would notice. */
async function refuseMissingFacts(
  terms: readonly { readonly name: string }[],
  { environment }: EntryPlan,
  host: PluginHost,
): Promise<void> {
  const { contribution } = await host.find('environment', environment.name);
  for (const [place, { name }] of terms.entries()) {
    const problem = missingFact((await host.find('reward', name)).contribution, contribution);
    if (problem === undefined) continue;
    const path = `reward.terms[${place}].name`;
    throw new AgentgymError('AG_RECIPE_INVALID', {
      message: `\`${path}\` is ${problem}.`,
      hint: missingFactHint,
      path,
    });
  }
}
