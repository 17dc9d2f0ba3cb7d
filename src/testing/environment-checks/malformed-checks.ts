import type { CheckContext, EnvironmentCheck } from './check-context.js';
import type { MalformedAnswer } from './play-malformed.js';

/** Maximum number of characters in an answer to nonsense. With more, the agent could fill its own context. */
const longestAnswer = 20_000;

/** The first five complaints about malformed actions. */
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
    title: 'no text makes step throw',
    severity: 'error',
    likelyCause:
      'JSON.parse, a table lookup by the text, or an unchecked index; report a bad action as the fact `invalid`',
    why: 'A policy in training writes any text. An exception discards the episode that it should learn from.',
    cure: 'Answer unreadable actions with `facts.invalid: true` and a short hint.',
    run: (context) => overMalformed(context, ({ thrown }) => (thrown === undefined ? undefined : `threw: ${thrown}`)),
  },
  {
    id: 'malformed-invalid',
    title: 'nonsense is reported as invalid',
    severity: 'error',
    likelyCause: 'a prefix match, parseInt, or a default for unknown text; or set `anyTextIsLegal`',
    why: 'If nonsense counts as an action, the policy learns it as one.',
    cure: 'Match the whole action. Look tables up with Object.hasOwn or a Map. Read numbers with a pattern, not with parseInt.',
    idle: ({ settings }) => (settings.anyTextIsLegal ? 'any text is legal' : undefined),
    run: (context) =>
      overMalformed(context, ({ hopeless, answer }) =>
        hopeless && answer?.invalid === false ? 'is not reported as invalid' : undefined,
      ),
  },
  {
    id: 'malformed-answer',
    title: 'the answer to nonsense is short, well-formed text',
    severity: 'error',
    likelyCause: 'the answer contains the whole action: 10 MB would be part of the next prompt',
    why: 'Every observation is part of the next prompt. An echo of megabytes ends the episode.',
    cure: 'Do not quote the action, or quote at most a few dozen characters with toWellFormed().',
    run: (context) =>
      overMalformed(context, ({ answer, bad }) => {
        if (bad !== undefined) return `gets an answer that is not valid: ${bad}`;
        if (answer === undefined) return undefined;
        if (answer.length > longestAnswer) return `gets an answer of ${answer.length} characters`;
        return answer.wellFormed ? undefined : 'gets an answer with half a surrogate pair';
      }),
  },
  {
    id: 'malformed-slow',
    title: 'step refuses every text quickly',
    severity: 'error',
    likelyCause: 'a regular expression that backtracks, or work that grows with the square of the length',
    why: 'One long text would delay every other episode of the process.',
    cure: 'Refuse texts above a length first, and avoid nested repetitions in regular expressions.',
    run: (context) =>
      overMalformed(context, ({ answer }) =>
        answer !== undefined && answer.seconds > context.settings.secondsPerAction
          ? `took ${answer.seconds.toFixed(2)} s`
          : undefined,
      ),
  },
];
