import type { CheckContext, EnvironmentCheck } from './check-context.js';
import type { MalformedAnswer } from './play-malformed.js';

/** Longest answer to nonsense, in characters: more would let the agent flood its own context. */
const longestAnswer = 20_000;

/** What `complaint` says of the malformed actions, at most five times. */
async function overMalformed(
  context: CheckContext,
  complaint: (answer: MalformedAnswer) => string | undefined,
): Promise<string[]> {
  const found: string[] = [];
  for (const answer of await context.malformed()) {
    const said = complaint(answer);
    if (said !== undefined) found.push(`${answer.action} ${said}`);
    if (found.length === 5) break;
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
    why: 'A policy that is still learning writes anything; an exception loses the episode it should learn from.',
    cure: 'Answer what you cannot read with `facts.invalid: true` and a short hint.',
    run: (context) => overMalformed(context, ({ thrown }) => (thrown === undefined ? undefined : `threw: ${thrown}`)),
  },
  {
    id: 'malformed-invalid',
    title: 'nonsense is flagged invalid',
    severity: 'error',
    likelyCause: 'a prefix match, parseInt, or a default for what was not understood; or set `anyTextIsLegal`',
    why: 'Nonsense that counts as an action is learnt as one.',
    cure: 'Match the whole action; look tables up with Object.hasOwn or a Map; read numbers by a pattern, not parseInt.',
    idle: ({ settings }) => (settings.anyTextIsLegal ? 'any text is legal' : undefined),
    run: (context) =>
      overMalformed(context, ({ hopeless, answer }) =>
        hopeless && answer?.invalid === false ? 'is not flagged invalid' : undefined,
      ),
  },
  {
    id: 'malformed-answer',
    title: 'the answer to nonsense is short and well-formed text',
    severity: 'error',
    likelyCause:
      'the action is echoed whole: 10 MB of it would stand in the next prompt; cut it and replace broken characters',
    why: 'Every observation stands in the next prompt: an echo of megabytes ends the episode.',
    cure: 'Do not quote the action, or a few dozen characters of it, with toWellFormed().',
    run: (context) =>
      overMalformed(context, ({ answer, bad }) => {
        if (bad !== undefined) return `is answered with no data: ${bad}`;
        if (answer === undefined) return undefined;
        if (answer.length > longestAnswer) return `is answered with ${answer.length} characters`;
        return answer.wellFormed ? undefined : 'is answered with half a surrogate pair';
      }),
  },
  {
    id: 'malformed-slow',
    title: 'no text takes long to refuse',
    severity: 'error',
    likelyCause: 'a regular expression that backtracks, or work that grows with the square of the length',
    why: 'One long text would hold up every other episode of the process.',
    cure: 'Refuse texts beyond a length first, and avoid nested repetitions in regular expressions.',
    run: (context) =>
      overMalformed(context, ({ answer }) =>
        answer !== undefined && answer.seconds > context.settings.secondsPerAction
          ? `took ${answer.seconds.toFixed(2)} s`
          : undefined,
      ),
  },
];
