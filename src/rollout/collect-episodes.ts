// Plays episodes in waves: every live episode gets its action by one call of the model, then all environments step side by side. Which
// episodes share a call follows from their order and lengths alone, never from who answers first.
import { setImmediate } from 'node:timers/promises';

import type { Environment, StepResult } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import type { Episode, EpisodeKey, FailedEpisode, Turn } from '../contracts/trajectory.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { checkShape, type Shape } from '../errors/check-shape.js';
import { DeadlineError, withinDeadline } from '../errors/within-deadline.js';
import { messageOf } from '../errors/message-of.js';
import { type Actor, type ModelActor, type PlayerActor, systemPrompt } from './actor.js';
import type { EnvironmentPool } from './environment-pool.js';
import type { ComposedReward } from './compose-reward.js';
import type { ToolAnswer } from './episode-tools.js';
import { type Attempt, failedEpisode, LiveEpisode, type Writing } from './live-episode.js';
import { unlessAborted } from './unless-aborted.js';

/** How episodes are played, whoever plays them. */
export interface RolloutSettings {
  /** Episodes played side by side. */
  readonly inFlight: number;
  /** How often a failed episode is tried again before it is given up. */
  readonly retries: number;
  /** Share of failed episodes above which a collection counts as broken. */
  readonly maxFailedShare: number;
  /** Longest wait for a `reset` or `step`. */
  readonly environmentMilliseconds: number;
  /** Longest wait for a player without tokens; Infinity for a person. */
  readonly playerMilliseconds: number;
}

export interface CollectOptions {
  readonly actor: Actor;
  readonly environments: EnvironmentPool;
  readonly reward: ComposedReward;
  /** Turns after which an episode is truncated. */
  readonly horizon: number;
  /** Root of the episodes' streams: an attempt draws from (iteration, task, group, member, retry) below it. */
  readonly random: Random;
  readonly rollout: RolloutSettings;
  readonly signal: AbortSignal;
}

type Failure = FailedEpisode['failure'];

/** An attempt that broke, on its way to a retry or to the record. */
interface Broken {
  readonly attempt: Attempt;
  readonly turns: readonly Turn[];
  readonly failure: Failure;
}

/**
 * Plays one episode for each key.
 *
 * @returns the episodes in the order of the keys; those that failed to the last retry are among them
 * @throws AG_INTERRUPTED once the signal is aborted; the environments in use are thrown away
 */
export async function collectEpisodes(keys: readonly EpisodeKey[], options: CollectOptions): Promise<Episode[]> {
  const { actor, environments, rollout, signal } = options;
  const results: Episode[] = new Array<Episode>(keys.length);
  const waiting: Attempt[] = keys.map((key, index) => ({ key, index, retries: 0 }));
  let live: LiveEpisode[] = [];

  try {
    while (waiting.length > 0 || live.length > 0) {
      // Lets timers and signals in: where environments and model answer at once, nothing else does.
      await unlessAborted(setImmediate(), signal);
      const attempts = waiting.splice(0, Math.max(0, rollout.inFlight - live.length));
      const started = await unlessAborted(Promise.all(attempts.map((attempt) => begin(attempt, options))), signal);
      const broken: Broken[] = [];
      for (const start of started) {
        if (start instanceof LiveEpisode) live.push(start);
        else broken.push(start);
      }

      const playing = live.filter((episode) => !episode.ended);
      const writings = await unlessAborted(write(playing, actor, options), signal);
      const steps = playing.map((episode, index) => step(episode, writings[index] as Writing | Failure, options));
      await unlessAborted(Promise.all(steps), signal);

      const leaving = live.filter((episode) => episode.ended);
      live = live.filter((episode) => !episode.ended);
      if (actor.kind === 'model') actor.model.release(leaving.map(({ sequenceName }) => sequenceName));
      for (const episode of leaving) {
        const { attempt, environment, failure, turns } = episode;
        episode.tools?.close();
        if (failure === undefined) {
          environments.release(environment);
          results[attempt.index] = episode.completed();
        } else {
          void environments.discard(environment);
          broken.push({ attempt, turns, failure });
        }
      }
      broken.sort((a, b) => a.attempt.index - b.attempt.index);
      const again: Attempt[] = [];
      for (const { attempt, turns, failure } of broken) {
        if (attempt.retries < rollout.retries) again.push({ ...attempt, retries: attempt.retries + 1 });
        else results[attempt.index] = failedEpisode(attempt, turns, failure);
      }
      waiting.unshift(...again);
    }
    return results;
  } finally {
    // Only an interruption or an error leaves any behind; they may be in the middle of a step.
    if (actor.kind === 'model') actor.model.release(live.map(({ sequenceName }) => sequenceName));
    for (const { environment, tools } of live) {
      void environments.discard(environment);
      tools?.close();
    }
  }
}

/** Resets an environment for an attempt. */
async function begin(attempt: Attempt, options: CollectOptions): Promise<LiveEpisode | Broken> {
  const { actor, environments, horizon, reward, rollout } = options;
  const { iteration, task, group, member } = attempt.key;
  const random = options.random.stream(iteration, task, group, member, attempt.retries);
  let environment: Environment | undefined;
  try {
    const instance = await withinDeadline('create', rollout.environmentMilliseconds, () => environments.acquire());
    environment = instance;
    const observation = await withinDeadline('reset', rollout.environmentMilliseconds, () =>
      instance.reset(task, { random: random.stream('environment') }),
    );
    checkShape(observation, 'string', 'what reset() gives');
    return new LiveEpisode(attempt, instance, random, actor, observation, { horizon, reward });
  } catch (error) {
    if (environment !== undefined) void environments.discard(environment);
    return { attempt, turns: [], failure: failureOf(error, 'reset') };
  }
}

/** What the actor writes in each episode. */
function write(
  episodes: readonly LiveEpisode[],
  actor: Actor,
  options: CollectOptions,
): Promise<readonly (Writing | Failure)[]> {
  if (episodes.length === 0) return Promise.resolve([]);
  return actor.kind === 'model'
    ? generate(episodes, actor, options.signal)
    : Promise.all(episodes.map((episode) => ask(episode, actor, options)));
}

async function generate(
  episodes: readonly LiveEpisode[],
  { model, format, sampling, maxActionTokens }: ModelActor,
  signal: AbortSignal,
): Promise<Writing[]> {
  const policyVersion = model.policyVersion;
  const sequences = episodes.map((episode) => episode.sequence as NonNullable<typeof episode.sequence>);
  const requests = episodes.map((episode, index) => ({
    tokens: sequences[index]?.tokens ?? [],
    sequence: episode.sequenceName,
    endIds: model.encoder.endIds,
    maxTokens: maxActionTokens,
    draws: draws(episode.random.stream('turn', episode.turns.length), maxActionTokens),
  }));
  const answers = await model.generate(requests, sampling, signal);
  return sequences.map((sequence, index) => {
    const answer = answers[index];
    if (answer === undefined || answer.tokens.length === 0 || answer.tokens.length !== answer.logprobs.length) {
      throw new AgentgymError('AG_POLICY_ANSWER', {
        message: `The policy model answered request ${index + 1} of ${requests.length} with no tokens, or with tokens without log probabilities.`,
      });
    }
    const sampled = sequence.addAction(answer.tokens, answer.logprobs, answer.ended);
    const text = model.encoder.decode(answer.tokens);
    return { text, parsed: format.parse(text), cut: !answer.ended, sampled, policyVersion };
  });
}

async function ask(
  episode: LiveEpisode,
  { player, tools }: PlayerActor,
  { rollout, signal }: CollectOptions,
): Promise<Writing | Failure> {
  const { environment, observation, random, turns } = episode;
  try {
    const text = await withinDeadline(`the player "${player.name}"`, rollout.playerMilliseconds, () =>
      player.act(
        {
          system: systemPrompt(environment.instructions, undefined, tools),
          observations: [...turns.map((turn) => turn.observation), observation],
          texts: turns.map((turn) => turn.text),
          environment,
          random: random.stream('turn', turns.length),
        },
        signal,
      ),
    );
    return { text, parsed: { action: text }, cut: false };
  } catch (error) {
    return failureOf(error, 'player');
  }
}

const stepShape = {
  observation: 'string',
  reward: 'number',
  terminated: 'boolean',
  truncated: 'boolean',
  facts: { success: 'boolean', invalid: 'boolean' },
} as const satisfies Shape;

/** Plays what was written: a call of a tool, or an action. */
async function step(
  episode: LiveEpisode,
  writing: Writing | Failure,
  { rollout, signal }: CollectOptions,
): Promise<void> {
  if ('phase' in writing) return episode.fail(writing);
  let answer: ToolAnswer | undefined;
  try {
    answer = await episode.tools?.answer(writing.text, episode.turns.length, signal);
  } catch (error) {
    return episode.fail(failureOf(error, 'tool'));
  }
  if (answer !== undefined) return episode.finishToolTurn(writing, answer);
  const { parsed } = writing;
  let result: StepResult;
  try {
    result =
      'action' in parsed
        ? await withinDeadline('step', rollout.environmentMilliseconds, () => episode.environment.step(parsed.action))
        : episode.malformedStep(parsed.observation);
    checkShape(result, stepShape, 'what step() gives');
  } catch (error) {
    return episode.fail(failureOf(error, 'step'));
  }
  episode.finishTurn(writing, result);
}

/** Uniform numbers in (0, 1]. */
function draws(random: Random, count: number): Float64Array {
  const numbers = new Float64Array(count);
  for (let index = 0; index < count; index += 1) numbers[index] = 1 - random.uniform();
  return numbers;
}

/** Plugins throw plain errors, or were told of already; any other AgentgymError has nothing to do with this one episode and ends the collection. */
function failureOf(error: unknown, phase: 'reset' | 'step' | 'player' | 'tool'): Failure {
  if (isAgentgymError(error) && error.code !== 'AG_PLUGIN_FAILED') throw error;
  const message = messageOf(error);
  return { phase: error instanceof DeadlineError ? 'deadline' : phase, message };
}
