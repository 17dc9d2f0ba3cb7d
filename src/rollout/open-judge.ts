import type { BoundsContext, Judge, JudgedEpisode, JudgedScores, RewardBounds } from '../contracts/reward.js';
import type { Random } from '../contracts/random.js';
import type { FailedEpisode } from '../contracts/trajectory.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { isUnavailable } from '../errors/is-unavailable.js';
import { messageOf } from '../errors/message-of.js';
import { DeadlineError, withinDeadline } from '../errors/within-deadline.js';
import { CallSignals } from './call-signals.js';
import { show } from './copy-json.js';
import { cutText } from './cut-text.js';
import type { TakeLimit } from './shared-limits.js';
import { unlessAborted } from './unless-aborted.js';
import { verdictKey, type Verdicts } from './verdicts.js';

/** Limits of a judge that names none. */
const usualConcurrency = 8;
const usualSeconds = 600;
/** A timer of Node with a longer time does not wait at all. */
const mostSeconds = 2_147_483;
/** Longest reason that is recorded, in characters. */
const longestReason = 4000;

export interface JudgeSettings {
  /** The term of the reward. */
  readonly name: string;
  /** For messages: reward `judged` (plugin 1.0.0). */
  readonly title: string;
  /** What judges: its contribution, its version, its options. */
  readonly identity: string;
  readonly random: Random;
  readonly verdicts: Verdicts;
  readonly take: TakeLimit;
}

/** Why episodes have no judgement. */
export type NotJudged = FailedEpisode['failure'];

/** Asks a judge inside its limits, and keeps what it says. */
export class OpenJudge {
  readonly #signals = new CallSignals();
  /** Calls that have not ended, by what they judge. */
  readonly #asked = new Map<string, Promise<readonly JudgedScores[] | NotJudged>>();

  /** @throws the errors of `checkJudgeLimits` */
  constructor(
    private readonly judge: Judge,
    private readonly settings: JudgeSettings,
  ) {
    checkJudgeLimits(judge);
  }

  /** Whether it reads the episodes of a group together. */
  get compares(): boolean {
    return this.judge.alone !== true;
  }

  bounds(context: BoundsContext): RewardBounds {
    return this.judge.bounds(context);
  }

  /**
   * Judges the episodes of a group.
   *
   * @param retries repetitions of a call that failed
   * @returns of each episode its judgement, or why it has none
   * @throws AG_REWARD_UNAVAILABLE, or the reason of the signal
   */
  async judgements(
    group: readonly JudgedEpisode[],
    retries: number,
    signal: AbortSignal,
  ): Promise<readonly (JudgedScores | NotJudged)[]> {
    const units = this.judge.alone === true ? group.map((episode) => [episode]) : [group];
    const all = await Promise.all(
      units.map(async (unit) => {
        const found = await this.#once(unit, retries, signal);
        return 'phase' in found ? unit.map(() => found) : found;
      }),
    );
    return all.flat();
  }

  /** The kept verdict, that of a call which is running, or a new one. */
  #once(
    unit: readonly JudgedEpisode[],
    retries: number,
    signal: AbortSignal,
  ): Promise<readonly JudgedScores[] | NotJudged> {
    const key = verdictKey(this.settings.identity, unit);
    const kept = this.settings.verdicts.get(key);
    if (kept !== undefined) return Promise.resolve(kept);
    const running = this.#asked.get(key);
    if (running !== undefined) return running;
    const asked = this.#ask(key, unit, retries, signal).finally(() => this.#asked.delete(key));
    this.#asked.set(key, asked);
    return asked;
  }

  async #ask(
    key: string,
    unit: readonly JudgedEpisode[],
    retries: number,
    signal: AbortSignal,
  ): Promise<readonly JudgedScores[] | NotJudged> {
    const { name, verdicts } = this.settings;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const judgements = await this.#call(key, unit, attempt, signal);
        await verdicts.keep({ key, judge: name, judgements });
        return judgements;
      } catch (error) {
        if (signal.aborted) throw new AgentgymError('AG_INTERRUPTED', { message: 'Interrupted.', cause: error });
        if (isUnavailable(error)) throw this.#unavailable(error);
        if (isAgentgymError(error)) throw error;
        const phase = error instanceof DeadlineError ? 'deadline' : 'judge';
        if (attempt >= retries) return { phase, message: `${name}: ${messageOf(error)}` };
      }
    }
  }

  async #call(
    key: string,
    unit: readonly JudgedEpisode[],
    attempt: number,
    signal: AbortSignal,
  ): Promise<readonly JudgedScores[]> {
    const { identity, name, random, take } = this.settings;
    const { concurrency = usualConcurrency, seconds = usualSeconds } = this.judge;
    const call = this.#signals.begin(signal);
    let leave: (() => void) | undefined;
    try {
      // Two stages may ask the same judge, each with a limit of its own.
      leave = await take(`judge ${identity} ${concurrency}`, { atOnce: concurrency }, call.signal);
      const draw = { signal: call.signal, random: random.stream(key, attempt) };
      const ask = () => this.judge.judge(structuredClone(unit), draw);
      const answer = await unlessAborted(withinDeadline(`the judge "${name}"`, 1000 * seconds, ask), call.signal);
      return checkJudgements(answer, unit);
    } catch (error) {
      if (error instanceof DeadlineError) call.abort(error);
      throw error;
    } finally {
      this.#signals.end(signal, call);
      leave?.();
    }
  }

  #unavailable(error: Error): AgentgymError {
    return new AgentgymError('AG_REWARD_UNAVAILABLE', {
      message: `The ${this.settings.title} cannot judge: ${messageOf(error)}`,
      cause: error,
    });
  }
}

/** @throws a plain Error for limits with which no call would be made, or none would end */
export function checkJudgeLimits({ concurrency = usualConcurrency, seconds = usualSeconds }: Judge): void {
  if (!(Number.isInteger(concurrency) && concurrency >= 1)) {
    throw new Error(`create().concurrency: must be a whole number above 0, not ${show(concurrency)}`);
  }
  if (seconds > 0 && seconds <= mostSeconds) return;
  throw new Error(`create().seconds: must be a number above 0 and at most ${mostSeconds}, not ${show(seconds)}`);
}

/** Checks what a judge says of these episodes. @throws Error that names the place and the value */
export function checkJudgements(value: unknown, unit: readonly JudgedEpisode[]): readonly JudgedScores[] {
  if (!Array.isArray(value)) throw new Error(`it must give a list of judgements, not ${show(value)}`);
  if (value.length !== unit.length) {
    throw new Error(`it must give a judgement for each of ${unit.length} episodes, not ${value.length}`);
  }
  return unit.map(({ turns }, place): JudgedScores => {
    const { reason, scores, tokens } = (value[place] ?? {}) as { readonly [member in keyof JudgedScores]?: unknown };
    if (!Array.isArray(scores)) throw new Error(`[${place}].scores: must be a list, not ${show(scores)}`);
    if (scores.length !== turns.length) {
      throw new Error(`[${place}].scores: must have a number for each of ${turns.length} turns, not ${scores.length}`);
    }
    const wrong = scores.findIndex((score) => !Number.isFinite(score));
    if (wrong >= 0) throw new Error(`[${place}].scores[${wrong}]: must be a finite number, not ${show(scores[wrong])}`);
    if (reason !== undefined && typeof reason !== 'string') {
      throw new Error(`[${place}].reason: must be text, not ${show(reason)}`);
    }
    if (tokens !== undefined && !(Number.isSafeInteger(tokens) && (tokens as number) >= 0)) {
      throw new Error(`[${place}].tokens: must be a whole number of at least 0, not ${show(tokens)}`);
    }
    return {
      scores: [...(scores as readonly number[])],
      ...(reason !== undefined && { reason: cutText(reason, longestReason) }),
      ...(tokens !== undefined && { tokens: tokens as number }),
    };
  });
}
