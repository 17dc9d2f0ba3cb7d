import type { Judge, JudgedEpisode } from '../contracts/reward.js';
import { isUnavailable } from '../errors/is-unavailable.js';
import { messageOf } from '../errors/message-of.js';
import { DeadlineError, withinDeadline } from '../errors/within-deadline.js';
import { createRandom } from '../random/create-random.js';
import { checkJudgeLimits, checkJudgements } from '../rollout/open-judge.js';
import { Kit, type KitSettings } from './conformance-kit.js';
import { firstFound } from './findings.js';
import { createReward, outsideBounds, type RewardSubject } from './reward-kit.js';
import { simulateEpisode, type SimulatedEpisode } from './simulate-reward-turns.js';

export interface JudgeCheckSettings extends KitSettings {
  /** Groups of episodes that are judged. */
  readonly groups?: number;
}

interface SimulatedGroup {
  readonly played: readonly SimulatedEpisode[];
  readonly judged: readonly JudgedEpisode[];
}

interface Context {
  readonly judge: Judge;
  readonly groups: readonly SimulatedGroup[];
  readonly ask: (group: readonly JudgedEpisode[], signal: AbortSignal) => Promise<unknown>;
}

const groupSize = 4;

function judgedEpisode({ turns, success }: SimulatedEpisode): JudgedEpisode {
  const { terminated } = turns.at(-1)!;
  return {
    task: 'task',
    instructions: 'Answer the question.',
    references: turns[0]!.references ?? [],
    turns: turns.map(({ text, action, malformed, cut, native, facts }) => ({
      observation: 'What is two and two?',
      text,
      ...(action !== undefined && { action }),
      ...(malformed && { malformed: 'no answer' }),
      ...{ cut, native, facts },
    })),
    finalObservation: 'Thank you.',
    terminated,
    ...(!terminated && { truncated: 'horizon' as const }),
    success,
  };
}

/**
 * Checks a judge against its contract, on simulated groups of episodes. A judge that asks a server which is not there may
 * say so, with the code UNAVAILABLE; then its judgements are not checked.
 */
export const judgeKit = new Kit<RewardSubject, JudgeCheckSettings, Context>({
  checks: [
    {
      id: 'judgements',
      title: 'judge() gives every episode a finite number for each turn, or an error with the code UNAVAILABLE',
      cure: 'Return one judgement for each episode, in their order, with as many scores as the episode has turns.',
      run: ({ judge, groups, ask }) =>
        firstFound(groups, async ({ played, judged }) => {
          const units = judge.alone === true ? judged.map((one) => [one]) : [judged];
          return firstFound(units.entries(), async ([place, unit]) => {
            try {
              const judgements = checkJudgements(await ask(unit, new AbortController().signal), unit);
              return firstFound(judgements.entries(), ([member, { scores }]) => {
                const { context, success } = played[judge.alone === true ? place : member]!;
                const total = scores.reduce((sum, score) => sum + score, 0);
                if (judge.density === 'outcome' && scores.filter((score) => score !== 0).length > 1)
                  return `several turns of an episode get a reward, and the density is \`outcome\`: ${scores.join(' ')}`;
                const outside = outsideBounds(total, judge.bounds(context), success);
                return outside && `a ${success ? 'success' : 'failure'} of ${scores.length} turns ${outside}`;
              });
            } catch (error) {
              return isUnavailable(error) ? undefined : messageOf(error);
            }
          });
        }),
    },
    {
      id: 'interrupted',
      title: 'a call ends soon after its signal is aborted',
      cure: 'Pass the signal to every request and every pause.',
      run: async ({ groups, ask }) => {
        const call = () => ask(groups[0]!.judged.slice(0, 1), AbortSignal.abort(new Error('enough')));
        const late = await withinDeadline('judge()', 2000, call).catch((error: unknown) => error);
        return late instanceof DeadlineError ? `although its signal was aborted, ${late.message}` : undefined;
      },
    },
    {
      id: 'bounds',
      title: 'bounds are finite and ordered, with and without a discount',
      cure: 'Return [low, high] for success and for failure.',
      run: ({ judge, groups }) =>
        firstFound(
          groups.flatMap(({ played }) => played),
          ({ context }) =>
            firstFound([1, 0.5], (discount) => {
              const { success, failure } = judge.bounds({ ...context, discount });
              const wrong = [success, failure].find(
                ([low, high]) => !Number.isFinite(low) || !Number.isFinite(high) || low > high,
              );
              return wrong && `bounds(${JSON.stringify({ ...context, discount })}) has [${wrong.join(', ')}]`;
            }),
        ),
    },
  ],
  prepare: (subject, settings) => {
    const judge = createReward(subject, settings.seed);
    if (!('judge' in judge)) throw new Error('create() makes a scheme, which `rewardKit` checks');
    checkJudgeLimits(judge);
    const random = createRandom(settings.seed ?? 0);
    const groups = Array.from({ length: settings.groups ?? 20 }, (_, group): SimulatedGroup => {
      const played = Array.from({ length: groupSize }, (_, member) => simulateEpisode(random.stream(group, member)));
      return { played, judged: played.map(judgedEpisode) };
    });
    const ask = async (group: readonly JudgedEpisode[], signal: AbortSignal) =>
      judge.judge(structuredClone(group), { signal, random: random.stream('judge') });
    return { judge, groups, ask };
  },
});
