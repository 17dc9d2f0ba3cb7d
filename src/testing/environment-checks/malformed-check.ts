import { isUnavailable } from '../../errors/is-unavailable.js';
import { messageOf } from '../../errors/message-of.js';
import { malformedActions } from '../malformed-actions.js';
import { shorten } from '../shorten.js';
import { act, reset, step } from './call-environment.js';
import { type EnvironmentCheck, onOneInstance } from './environment-context.js';
import { isWellFormed } from './play-episode.js';

/** Maximum number of characters in an answer to nonsense. With more, the agent could fill its own context. */
const longestAnswer = 20_000;

/** Plays malformed actions one after the other, on each task in turn. */
export const malformedCheck: EnvironmentCheck = {
  id: 'malformed',
  title: 'step() answers any text quickly with short, well-formed text, calls nonsense invalid, and never throws',
  cure: 'Refuse long texts first, match the whole action, and answer with `facts.invalid: true` and a short hint that does not quote it. Look tables up with Object.hasOwn or a Map; no parseInt, no nested repetitions in patterns. If any text is legal, set `anyTextIsLegal`.',
  run: onOneInstance(async (environment, context) => {
    const { anyTextIsLegal, malformed, secondsPerAction } = context.settings;
    const random = context.random.stream('malformed');
    const found: string[] = [];
    let [begun, played] = [0, 0];
    // Legal actions are collected in advance, because `malformedActions` cannot wait for them.
    let usual: string[] = [];
    const begin = async (): Promise<void> => {
      const task = context.tasks[begun % context.tasks.length] ?? '';
      begun += 1;
      await reset(environment, task, random.stream('environment', task));
      usual = [];
      for (let turn = 0; turn < 10; turn += 1)
        usual.push(await act(environment, 'random', random.stream('usual', begun, turn)));
    };
    await begin();
    for (const { text, hopeless } of malformedActions(random, malformed, () => random.choice(usual))) {
      const complain = (complaint: string) => found.push(`${shorten(text)} ${complaint}`);
      const started = performance.now();
      let ended = true;
      try {
        const { observation, terminated, truncated, facts } = await step(environment, text);
        const seconds = (performance.now() - started) / 1000;
        ended = terminated || truncated;
        if (seconds > secondsPerAction) complain(`took ${seconds.toFixed(2)} s`);
        else if (hopeless && !facts.invalid && !anyTextIsLegal) complain('is not reported as invalid');
        else if (observation.length > longestAnswer) complain(`gets an answer of ${observation.length} characters`);
        else if (!isWellFormed(observation)) complain('gets an answer with half a surrogate pair');
      } catch (error) {
        if (isUnavailable(error)) throw error;
        complain(`threw: ${messageOf(error)}`);
      }
      if (found.length === 5) return found;
      played += 1;
      // Nonsense may end a task or fill its memory, so a new task begins at least every 100 actions.
      if (ended || played % 100 === 0) await begin();
    }
    return found;
  }),
};
