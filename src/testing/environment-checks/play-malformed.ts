import type { Environment } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { malformedActions } from './malformed-actions.js';
import { act, BadAnswer, reset, step } from './call-environment.js';
import { isWellFormed } from './play-episode.js';
import { messageOf } from '../../errors/message-of.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { shorten } from '../shorten.js';

/** The result of a malformed action. */
export interface MalformedAnswer {
  /** The action, shortened. */
  readonly action: string;
  /** No environment with a grammar can read it as legal. */
  readonly hopeless: boolean;
  readonly thrown?: string;
  /** What is wrong with an answer that breaks the contract. */
  readonly bad?: string;
  /** Absent if the step threw or broke the contract. */
  readonly answer?: {
    readonly invalid: boolean;
    /** Characters of the observation. */
    readonly length: number;
    readonly wellFormed: boolean;
    readonly seconds: number;
  };
}

/** Plays malformed actions one after the other, on each task in turn. */
export async function playMalformed(
  environment: Environment,
  tasks: readonly string[],
  count: number,
  random: Random,
): Promise<MalformedAnswer[]> {
  const answers: MalformedAnswer[] = [];
  let begun = 0;
  // Legal actions are collected in advance, because `malformedActions` cannot wait for them.
  let usual: string[] = [];
  const begin = async () => {
    const task = tasks[begun % tasks.length] ?? '';
    begun += 1;
    await reset(environment, task, random.stream('environment', task));
    usual = [];
    for (let turn = 0; turn < 10; turn += 1)
      usual.push(await act(environment, 'random', random.stream('usual', begun, turn)));
  };
  await begin();
  for (const { text, hopeless } of malformedActions(random, count, () => random.choice(usual))) {
    const action = shorten(text);
    const started = performance.now();
    let ended = true;
    try {
      const { observation, terminated, truncated, facts } = await step(environment, text);
      const seconds = (performance.now() - started) / 1000;
      const answer = {
        invalid: facts.invalid,
        length: observation.length,
        wellFormed: isWellFormed(observation),
        seconds,
      };
      answers.push({ action, hopeless, answer });
      ended = terminated || truncated;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      const what = error instanceof BadAnswer ? 'bad' : 'thrown';
      answers.push({ action, hopeless, [what]: messageOf(error) });
    }
    // Nonsense may end a task or fill its memory, so a new task begins at least every 100 actions.
    if (ended || answers.length % 100 === 0) await begin();
  }
  return answers;
}
