import type { StepResult } from '../../contracts/environment.js';
import type { CheckContext, EnvironmentCheck } from './check-context.js';
import { malformedActions, type MalformedAction } from './malformed-actions.js';
import { isWellFormed, shorten } from './play-episode.js';

/** Longest answer to nonsense, in characters: more would let the agent flood its own context. */
const longestAnswer = 20_000;

type Answer = { readonly result: StepResult; readonly seconds: number } | { readonly thrown: string };

/** Plays every malformed action and collects what `complaint` says, at most five times. */
async function overMalformed(
  context: CheckContext,
  complaint: (action: MalformedAction, answer: Answer) => string | undefined,
): Promise<string[]> {
  const environment = await context.create();
  const random = context.random.stream('malformed');
  const found: string[] = [];
  let tasks = 0;
  const begin = async () => {
    const task = context.sample[tasks % context.sample.length]?.task ?? '';
    tasks += 1;
    await environment.reset(task, { random: random.stream('environment', task) });
  };
  await begin();
  let index = 0;
  for (const action of malformedActions(random, context.settings.malformed, () => environment.sampleAction(random))) {
    const started = performance.now();
    let answer: Answer;
    try {
      const result = await environment.step(action.text);
      answer = { result, seconds: (performance.now() - started) / 1000 };
    } catch (error) {
      answer = { thrown: error instanceof Error ? error.message : String(error) };
    }
    const said = complaint(action, answer);
    if (said !== undefined) found.push(`${shorten(action.text)} ${said}`);
    if (found.length === 5) break;
    // A long run of nonsense on one task may end it or fill its memory: begin another now and then.
    index += 1;
    if ('thrown' in answer || answer.result.terminated || answer.result.truncated || index % 100 === 0) await begin();
  }
  return found;
}

export const malformedChecks: readonly EnvironmentCheck[] = [
  {
    id: 'malformed-throws',
    title: 'no text whatever makes a step throw',
    severity: 'error',
    likelyCause:
      'JSON.parse, a table looked up by the text, or an index that is not checked; a bad action is a fact, `invalid`',
    run: (context) =>
      overMalformed(context, (_, answer) => ('thrown' in answer ? `threw: ${answer.thrown}` : undefined)),
  },
  {
    id: 'malformed-invalid',
    title: 'nonsense is flagged invalid',
    severity: 'error',
    likelyCause: 'a prefix match, parseInt, or a default for what was not understood; or set `anyTextIsLegal`',
    run: (context) =>
      context.settings.anyTextIsLegal
        ? []
        : overMalformed(context, (action, answer) =>
            action.hopeless && 'result' in answer && !answer.result.facts.invalid
              ? 'is not flagged invalid'
              : undefined,
          ),
  },
  {
    id: 'malformed-answer',
    title: 'the answer to nonsense is short and well-formed text',
    severity: 'error',
    likelyCause:
      'the action is echoed whole: 10 MB of it would stand in the next prompt; cut it and replace broken characters',
    run: (context) =>
      overMalformed(context, (_, answer) => {
        if ('thrown' in answer) return undefined;
        const { observation } = answer.result;
        if (observation.length > longestAnswer) return `is answered with ${observation.length} characters`;
        return isWellFormed(observation) ? undefined : 'is answered with half a surrogate pair';
      }),
  },
  {
    id: 'malformed-slow',
    title: 'no text takes long to refuse',
    severity: 'error',
    likelyCause: 'a regular expression that backtracks, or work that grows with the square of the length',
    run: (context) =>
      overMalformed(context, (_, answer) =>
        'result' in answer && answer.seconds > context.settings.secondsPerAction
          ? `took ${answer.seconds.toFixed(2)} s`
          : undefined,
      ),
  },
];
