import type { Awaitable, Environment, Start, StepResult } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { messageOf } from '../../errors/message-of.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { shorten } from '../shorten.js';
import { act, BadAnswer, reset, step } from './call-environment.js';
import { jsonDifference } from './json-difference.js';

/** One action and its result, with the state key before the action if the environment has one. */
export interface PlayedTurn {
  readonly action: string;
  readonly result: StepResult;
  readonly keyBefore?: string;
}

/** An episode that the kit played. An exception ends the episode and is stored. */
export interface CheckedEpisode {
  readonly task: string;
  readonly start: Start;
  readonly turns: readonly PlayedTurn[];
  /** `answer`: the result of a step breaks the contract. */
  readonly thrown?: { readonly phase: 'reset' | 'action' | 'step' | 'answer'; readonly message: string };
}

/** Returns the next action, or undefined to leave the episode. */
export type ChooseAction = (environment: Environment, turn: number) => Awaitable<string | undefined>;

/**
 * Plays one episode. Throws only if the world is down. By default the environment draws from a stream of `random` that
 * depends only on the task.
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
      turns.push({ action, result, ...(keyBefore === undefined ? {} : { keyBefore }) });
      if (result.terminated || result.truncated) break;
    }
    return { task, start, turns };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const inAnswer = phase === 'step' && error instanceof BadAnswer;
    return { task, start, turns, thrown: { phase: inAnswer ? 'answer' : phase, message: messageOf(error) } };
  }
}

/** Chooses like a player of the environment, from streams that depend only on player, task and turn. */
export function chooseAs(player: string, random: Random, task: string): ChooseAction {
  return (environment, turn) => act(environment, player, random.stream('actions', player, task, turn));
}

/** Repeats the actions of an episode. */
export function chooseAgain(episode: CheckedEpisode): ChooseAction {
  return (_environment, turn) => episode.turns[turn]?.action;
}

/** Plays an episode again with the same task, stream and actions, for the same number of turns. */
export function playAgain(environment: Environment, episode: CheckedEpisode, random: Random): Promise<CheckedEpisode> {
  return playEpisode(environment, episode.task, random, chooseAgain(episode), episode.turns.length);
}

/** The parts of an episode that the agent and the trainer see, as text to compare. It contains no state keys. */
export function episodeBytes({ task, start, turns, thrown }: CheckedEpisode): string {
  const reached = thrown?.phase === 'reset' ? thrown : null;
  return JSON.stringify([task, start, turns.map(({ action, result }) => [action, result]), reached]);
}

/** The first difference of two episodes from `episodeBytes`; undefined for other text. */
export function bytesDifference(first: string, second: string): string | undefined {
  const read = (bytes: string): CheckedEpisode => {
    const [task, start, turns, reached] = JSON.parse(bytes) as [
      string,
      Start,
      [string, StepResult][],
      CheckedEpisode['thrown'] | null,
    ];
    const played = { task, start, turns: turns.map(([action, result]) => ({ action, result })) };
    return reached === null || reached === undefined ? played : { ...played, thrown: reached };
  };
  try {
    return firstDifference(read(first), read(second));
  } catch {
    return undefined;
  }
}

/** The difference of a repeated episode from the original, as findings of a check. */
export function differences(episode: CheckedEpisode, again: CheckedEpisode, when?: string): string[] {
  if (episodeBytes(again) === episodeBytes(episode)) return [];
  const place = `task ${shorten(episode.task)}${when === undefined ? '' : `, ${when}`}`;
  return [`${place}: ${firstDifference(episode, again)}`];
}

/** The first difference of two episodes, in words. */
function firstDifference(a: CheckedEpisode, b: CheckedEpisode): string {
  if (a.thrown?.phase !== 'reset' && b.thrown?.phase === 'reset') return `reset threw: ${b.thrown.message}`;
  const start = jsonDifference(a.start, b.start);
  if (start !== undefined) return `the start differs: ${start}`;
  for (let turn = 0; turn < Math.max(a.turns.length, b.turns.length); turn += 1) {
    const [left, right] = [a.turns[turn], b.turns[turn]];
    if (left?.action === right?.action && JSON.stringify(left?.result) === JSON.stringify(right?.result)) continue;
    const action = shorten(left?.action ?? right?.action ?? '');
    if (left !== undefined && right !== undefined && left.action !== right.action)
      return `turn ${turn} has another action: ${shorten(left.action)} versus ${shorten(right.action)}`;
    if (right === undefined && b.thrown !== undefined) return `turn ${turn} (${action}) threw: ${b.thrown.message}`;
    return `turn ${turn} (${action}) differs: ${jsonDifference(left?.result, right?.result)}`;
  }
  return `one of them threw: ${a.thrown?.message ?? b.thrown?.message ?? 'neither'}`;
}

/** True if the text contains no half surrogate pair, which cannot be saved to a file. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
