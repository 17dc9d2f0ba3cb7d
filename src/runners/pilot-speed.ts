// What a pilot tells about the time that runs take. Its events are timed here, where they arrive.
import type { RunPlan, StagePlan } from '../config/run-plan.js';
import type { RunEvent } from '../contracts/events.js';
import { evaluationActivities } from '../experiments/evaluation-activities.js';
import { totalsOfMetrics } from '../training/spending.js';

/** The events of a pilot; all times are in seconds of one clock. */
export interface PilotTimes {
  readonly begun: number;
  readonly events: readonly { readonly event: RunEvent; readonly at: number }[];
  /** When the final evaluation was over, and how many episodes each player had in it. */
  readonly evaluated: number;
  readonly episodes: number;
}

/** Seconds of the stages of one kind. */
export interface StageSpeed {
  /** Of a stage, whatever its length: what its first step compiles, and its last checkpoint. */
  readonly once: number;
  /** Of a batch row in sft, and of a turn in rl. */
  readonly each: number;
  readonly checkpoint: number;
  /** Of playing an episode, among all of a step. 0 in sft. */
  readonly episode: number;
}

/** How long the parts of a run take. */
export interface Speed {
  /** Seconds before the first stage: opening, the games of experts, the model. */
  readonly preparation: number;
  readonly sft: StageSpeed;
  readonly rl: StageSpeed;
  /** Turns of a training episode at the longest horizon. */
  readonly turns: number;
  readonly tokensPerTurn: number;
  readonly evaluation: {
    /** Seconds of one evaluation of the policy, and its episodes. */
    readonly policy: number;
    readonly episodes: number;
    /** Seconds of an episode of another player, or in another environment. */
    readonly other: number;
  };
}

/** @param plan that of the pilot. It has no evaluation but the final one. */
export function pilotSpeed(plan: RunPlan, times: PilotTimes): Speed {
  const { begun, events, evaluated } = times;
  const last = events.findLast(({ event }) => event.type === 'step')?.event;
  const { episodes = 0, turns = 0, tokens = 0 } = totalsOfMetrics(last?.type === 'step' ? last.metrics : {});
  const turnsPerEpisode = turns / Math.max(1, episodes);
  const speedOf = (kind: StagePlan['kind']): StageSpeed => {
    const stages = plan.funded.filter((stage) => stage.kind === kind);
    const measured = stages.flatMap((stage) => measureStage(stage, times, turnsPerEpisode) ?? []);
    const meanOf = (key: keyof StageSpeed) => meanOrZero(measured.map((one) => one[key]));
    return { once: meanOf('once'), each: meanOf('each'), checkpoint: meanOf('checkpoint'), episode: meanOf('episode') };
  };
  const first = events.find(({ event }) => event.type === 'stage-started');
  return {
    preparation: (first?.at ?? evaluated) - begun,
    sft: speedOf('sft'),
    rl: speedOf('rl'),
    turns: turnsPerEpisode,
    tokensPerTurn: tokens / Math.max(1, turns),
    evaluation: measureEvaluation(plan, times),
  };
}

/** The first step of a stage compiles, so the others tell the time of a step. Undefined for a stage without a step. */
function measureStage(stage: StagePlan, { events }: PilotTimes, turnsPerEpisode: number): StageSpeed | undefined {
  const own = events.filter(({ event }) => 'stage' in event && event.stage === stage.name);
  const steps = own.flatMap(({ event, at }) => (event.type === 'step' ? [{ metrics: event.metrics, at }] : []));
  const atOf = (type: RunEvent['type'], otherwise: number) =>
    own.find(({ event }) => event.type === type)?.at ?? otherwise;
  const [first, ...warm] = steps;
  if (first === undefined) return undefined;
  const all = warm.length > 0 ? warm : steps;
  const usual = (metric: string) => meanOrZero(all.map(({ metrics }) => metrics[metric] ?? 0));
  const [step, checkpoint] = [
    usual('time/step_seconds'),
    atOf('stage-finished', first.at) - (steps.at(-1) ?? first).at,
  ];
  return {
    once: Math.max(0, first.at - atOf('stage-started', first.at) - step) + Math.max(0, checkpoint),
    each: step / Math.max(1, stage.kind === 'sft' ? stage.batchSize : stage.episodesPerStep * turnsPerEpisode),
    checkpoint: Math.max(0, checkpoint),
    episode: stage.kind === 'sft' ? 0 : usual('time/collect_seconds') / stage.episodesPerStep,
  };
}

/** In the final evaluation, the policy plays first, in the own environment. */
function measureEvaluation(plan: RunPlan, { episodes, events, evaluated }: PilotTimes): Speed['evaluation'] {
  const atOf = (begins: string) => events.find(({ event }) => isActivity(event, begins))?.at ?? evaluated;
  const [began, others] = [atOf(evaluationActivities.final), atOf(evaluationActivities.baseline)];
  return {
    policy: (others - began) / timesPlayed(plan.recipe.evaluation.final.temperatures),
    episodes,
    other: Math.max(0, evaluated - others) / Math.max(1, playsOfOthers(plan) * episodes),
  };
}

/** How often the policy plays: at temperature 0, and at others. */
export function timesPlayed(temperatures: readonly number[]): number {
  return new Set([0, ...temperatures]).size;
}

/** How often baselines play the tasks of the final evaluation, and all players in other environments. */
export function playsOfOthers({ entries, recipe, transfer }: RunPlan): number {
  const others = transfer.filter(({ sameAs }) => sameAs === undefined).length;
  return baselines * (entries.length + others) + timesPlayed(recipe.evaluation.final.temperatures) * others;
}

/** An environment has a random player and up to two experts. */
const baselines = 3;

function isActivity(event: RunEvent, begins: string): boolean {
  return event.type === 'activity' && event.message.startsWith(begins);
}

/** 0 of no values. */
export function meanOrZero(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
