// Nothing but its arguments decides what an algorithm answers.
import { clock, globalRandom, globalState } from '../shared-cures.js';
import type { KitCheck } from '../conformance-kit.js';
import { callsOfMathRandom, changedGlobals, withOtherClock } from '../disturb-process.js';
import { each, same, update, type AlgorithmContext } from './algorithm-context.js';

export const purityChecks: readonly KitCheck<AlgorithmContext>[] = [
  {
    id: 'global-random',
    title: 'Math.random is not called',
    severity: 'error',
    likelyCause: 'ties are broken or episodes chosen by Math.random instead of the stream of the host',
    ...globalRandom,
    run: async (context) => {
      const work = (): void => context.batches.forEach((given) => update(context.algorithm, given));
      return (await callsOfMathRandom(work)).slice(0, 3).map((place) => `Math.random is called ${place}`);
    },
  },
  {
    id: 'clock',
    title: 'at another time of another day credit and weights are the same',
    severity: 'error',
    likelyCause: 'Date.now or performance.now is read: schedules count steps, never seconds',
    ...clock,
    run: (context) => {
      const before = context.batches.map((given) => update(context.algorithm, given));
      return withOtherClock(() =>
        each(context, (given) => {
          const { credit, weight } = before[context.batches.indexOf(given)] as ReturnType<typeof update>;
          const later = update(context.algorithm, given);
          const alike = same(credit.advantages, later.credit.advantages) && same(weight, later.weight);
          return !alike && 'forty days later the answer is another';
        }),
      );
    },
  },
  {
    id: 'global-state',
    title: 'nothing of the process is changed',
    severity: 'error',
    likelyCause: 'process.on, or an assignment to a global',
    ...globalState,
    run: async (context) => {
      const work = (): void => context.batches.forEach((given) => update(context.algorithm, given));
      return (await changedGlobals(work)).map((name) => `${name} changed`);
    },
  },
];
