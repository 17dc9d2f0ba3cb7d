// Schedules of the horizon (turns per episode). ScalingInter comes from AgentGym-RL: a list of caps that changes at
// regular steps (arXiv 2509.08755, section 3). The original counts its stages during training, and is wrong after a
// resume. Here the stage is a function of the step.
import type { JsonObject } from '../contracts/json.js';

/** The number of turns that an episode may take during training. Steps are counted within a stage, from 1. */
export type HorizonSchedule =
  | { readonly schedule: 'fixed'; readonly turns: number }
  /** Changes from one number of turns to another in even steps over `over` training steps, rounded down. */
  | { readonly schedule: 'linear'; readonly from: number; readonly to: number; readonly over: number }
  /** The next number of turns every `every` training steps; the last one stays. */
  | { readonly schedule: 'scaling-inter'; readonly turns: readonly number[]; readonly every: number }
  /**
   * The next number of turns once the mean success over the last `window` steps of this horizon is at least
   * `threshold`.
   */
  | {
      readonly schedule: 'success-rate';
      readonly turns: readonly number[];
      readonly threshold: number;
      readonly window: number;
    }
  /** The next number of turns once the mean share of episodes that the horizon cut is at least `threshold`. */
  | {
      readonly schedule: 'truncation-rate';
      readonly turns: readonly number[];
      readonly threshold: number;
      readonly window: number;
    };

/** The state of a schedule between steps; JSON. Schedules by step have no state. */
export interface HorizonState extends JsonObject {
  /** Place in the list of turns. */
  readonly place: number;
  /** The watched rate of the last steps at this place, the newest last. */
  readonly recent: readonly number[];
}

/** The outcome of a step that the schedule reads. */
export interface HorizonOutcome {
  /** Share of episodes that solved their task. */
  readonly success: number;
  /** Share of episodes that the horizon cut. */
  readonly truncated: number;
}

export const initialHorizon: HorizonState = { place: 0, recent: [] };

/** The largest number of turns in a schedule. Evaluations, demonstrations and the model's memory are sized by it. */
export function longestTurns(schedule: HorizonSchedule): number {
  switch (schedule.schedule) {
    case 'fixed':
      return schedule.turns;
    case 'linear':
      return Math.max(schedule.from, schedule.to);
    case 'scaling-inter':
    case 'success-rate':
    case 'truncation-rate':
      return Math.max(...schedule.turns);
  }
}

/** Turns an episode of this step may take. */
export function horizonTurns(schedule: HorizonSchedule, state: HorizonState, step: number): number {
  switch (schedule.schedule) {
    case 'fixed':
      return schedule.turns;
    case 'linear': {
      const { from, to } = schedule;
      const done = Math.min(1, (step - 1) / Math.max(1, schedule.over - 1));
      // The tolerance keeps, say, 3 + 6 * (2 / 3) from falling to 6.
      return Math.floor(from + (to - from) * done + 1e-9);
    }
    case 'scaling-inter':
      return at(schedule.turns, Math.floor((step - 1) / schedule.every));
    case 'success-rate':
    case 'truncation-rate':
      return at(schedule.turns, state.place);
  }
}

/** The state after a step. */
export function nextHorizon(schedule: HorizonSchedule, state: HorizonState, outcome: HorizonOutcome): HorizonState {
  if (schedule.schedule !== 'success-rate' && schedule.schedule !== 'truncation-rate') return state;
  if (state.place >= schedule.turns.length - 1) return state;
  const rate = schedule.schedule === 'success-rate' ? outcome.success : outcome.truncated;
  const recent = [...state.recent, rate].slice(-schedule.window);
  const mean = recent.reduce((sum, value) => sum + value, 0) / recent.length;
  // Rates at another horizon do not apply to this one, so the window starts again.
  if (recent.length === schedule.window && mean >= schedule.threshold) return { place: state.place + 1, recent: [] };
  return { place: state.place, recent };
}

/** The number at a place of a list, or the last number after its end. */
function at(turns: readonly number[], place: number): number {
  return turns[Math.min(place, turns.length - 1)] as number;
}
