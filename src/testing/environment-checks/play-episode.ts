import type { Awaitable, Environment, Start, StepResult } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { messageOf } from '../../errors/message-of.js';
import { shorten } from '../shorten.js';
import { act, reset, step } from './call-environment.js';
import { jsonDifference } from '../json-difference.js';

/** One action and its result, with the state key before the action if the environment has one. */
export interface PlayedTurn {
  readonly action: string;
  readonly result: StepResult;
  readonly keyBefore?: string;
}

/** An episode that the kit played. An exception, or an answer that breaks the contract, ends the episode. */
export interface CheckedEpisode {
  readonly task: string;
  readonly start: Start;
  readonly turns: readonly PlayedTurn[];
  readonly thrown?: { readonly phase: 'reset' | 'action' | 'step'; readonly message: string };
}

/** Returns the next action, or undefined to leave the episode. */
export type ChooseAction = (environment: Environment, turn: number) => Awaitable<string | undefined>;

/**
 * Plays one episode to its end or to the limit. Throws only if the world is down. By default the environment draws from
 * a stream of `random` that depends only on the task.
 */
export async function playEpisode(
  environment: Environment,
  task: string,
  random: Random,
  choose: ChooseAction,
  limit: number,
  stream = random.stream('environment', task),
): Promise<CheckedEpisode> {
  let phase: 'reset' | 'action' | 'step' = 'reset';
  let start: Start = { observation: '' };
  const turns: PlayedTurn[] = [];
  try {
    start = await reset(environment, task, stream);
    while (turns.length < limit) {
      phase = 'action';
      const keyBefore = await environment.stateKey?.();
      const action = await choose(environment, turns.length);
      if (action === undefined) break;
      phase = 'step';
      const result = await step(environment, action);
      turns.push({ action, result, ...(keyBefore !== undefined && { keyBefore }) });
      if (result.terminated || result.truncated) break;
    }
    return { task, start, turns };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return { task, start, turns, thrown: { phase, message: messageOf(error) } };
  }
}

/** Chooses like a player of the environment, from streams that depend only on player, task and turn. */
export function chooseAs(player: string, random: Random, task: string): ChooseAction {
  return (environment, turn) => act(environment, player, random.stream('actions', player, task, turn));
}

/** Repeats the actions of an episode. */
export function chooseAgain({ turns }: CheckedEpisode): ChooseAction {
  return (_environment, turn) => turns[turn]?.action;
}

/** Plays an episode again with the same task, stream and actions, for the same number of turns. */
export function playAgain(environment: Environment, episode: CheckedEpisode, random: Random): Promise<CheckedEpisode> {
  return playEpisode(environment, episode.task, random, chooseAgain(episode), episode.turns.length);
}

/** What the agent and the trainer see of an episode, to compare as JSON. It contains no state keys. */
export function seenOf({ start, turns, thrown }: CheckedEpisode): object {
  const seen = turns.map(({ action, result }, turn) => [`turn ${turn} (${shorten(action)})`, result] as const);
  return { ...(thrown?.phase === 'reset' ? { reset: thrown.message } : { start }), ...Object.fromEntries(seen) };
}

/** The first difference of a repeated episode from the original, in words. */
export function episodeDifference(episode: CheckedEpisode, again: CheckedEpisode, when = 'again'): string | undefined {
  const difference = jsonDifference(seenOf(episode), seenOf(again));
  if (difference === undefined) return undefined;
  return `task ${shorten(episode.task)}, ${when}: ${again.thrown === undefined ? difference : placeOfThrown(again)}`;
}

/** The exception of an episode, with its place. */
export function placeOfThrown({ turns, thrown }: CheckedEpisode): string {
  const { phase = 'nothing', message = '' } = thrown ?? {};
  return phase === 'reset' ? `reset threw: ${message}` : `${phase} ${turns.length} threw: ${message}`;
}

/** True if the text contains no half surrogate pair, which cannot be saved to a file. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
