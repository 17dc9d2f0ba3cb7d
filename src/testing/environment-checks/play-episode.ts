import type { Awaitable, Environment, StepResult } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { messageOf } from '../../errors/message-of.js';
import { shorten } from '../shorten.js';

/** One action and its answer, with the state's key before it where the environment has one. */
export interface PlayedTurn {
  readonly action: string;
  readonly result: StepResult;
  readonly keyBefore?: string;
}

/** An episode as the kit keeps it; an exception ends it and is kept too. */
export interface PlayedEpisode {
  readonly task: string;
  readonly observation: string;
  readonly turns: readonly PlayedTurn[];
  readonly thrown?: { readonly phase: 'reset' | 'action' | 'step'; readonly message: string };
}

/** The next action; undefined leaves the episode. */
export type ChooseAction = (environment: Environment, turn: number) => Awaitable<string | undefined>;

/** Plays one episode and never throws. The environment draws from a stream of `random` that depends on the task alone, unless one is given. */
export async function playEpisode(
  environment: Environment,
  task: string,
  random: Random,
  choose: ChooseAction,
  limit: number,
  stream = random.stream('environment', task),
): Promise<PlayedEpisode> {
  let phase: 'reset' | 'action' | 'step' = 'reset';
  let observation = '';
  const turns: PlayedTurn[] = [];
  try {
    observation = await environment.reset(task, { random: stream });
    while (turns.length < limit) {
      phase = 'action';
      const keyBefore = environment.stateKey?.();
      const action = await choose(environment, turns.length);
      if (action === undefined) break;
      phase = 'step';
      const result = await environment.step(action);
      turns.push({ action, result, ...(keyBefore === undefined ? {} : { keyBefore }) });
      if (result.terminated || result.truncated) break;
    }
    return { task, observation, turns };
  } catch (error) {
    const message = messageOf(error);
    return { task, observation, turns, thrown: { phase, message } };
  }
}

/** Chooses as the random baseline does. */
export function chooseAtRandom(random: Random, task: string): ChooseAction {
  const stream = random.stream('actions', task);
  return (environment) => environment.sampleAction(stream);
}

/** Repeats the actions of an episode. */
export function chooseAgain(episode: PlayedEpisode): ChooseAction {
  return (_environment, turn) => episode.turns[turn]?.action;
}

/** What the agent and the trainer get to see of an episode, as bytes to compare; state keys are not among it. */
export function episodeBytes(episode: PlayedEpisode): string {
  const { task, observation, turns, thrown } = episode;
  return JSON.stringify([task, observation, turns.map(({ action, result }) => [action, result]), thrown ?? null]);
}

/** Where two episodes part, in words. */
export function firstDifference(a: PlayedEpisode, b: PlayedEpisode): string {
  if (a.observation !== b.observation) return 'the first observation differs';
  for (let turn = 0; turn < Math.max(a.turns.length, b.turns.length); turn += 1) {
    const [left, right] = [a.turns[turn], b.turns[turn]];
    if (JSON.stringify(left?.result) === JSON.stringify(right?.result)) continue;
    return `turn ${turn} (${shorten(left?.action ?? right?.action ?? '')}) differs: ${shorten(JSON.stringify(left?.result ?? null))} and ${shorten(JSON.stringify(right?.result ?? null))}`;
  }
  return `one of them threw: ${a.thrown?.message ?? b.thrown?.message ?? 'neither'}`;
}

/** True if no surrogate stands without its other half: such text cannot be kept in a file. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
