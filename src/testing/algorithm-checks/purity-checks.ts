// Checks that the answers of an algorithm depend only on its arguments.
import { clock, globalRandom, globalState } from '../shared-cures.js';
import type { KitCheck } from '../conformance-kit.js';
import { callsOfMathRandom, changedGlobals, withOtherClock } from '../disturb-process.js';
import { each, same, update, type AlgorithmContext } from './algorithm-context.js';

export const purityChecks: readonly KitCheck<AlgorithmContext>[] = [
  {
    id: 'global-random',
    title: 'the algorithm does not call Math.random',
    severity: 'error',
    likelyCause: 'Math.random breaks ties or chooses episodes instead of the random stream of the host',
    ...globalRandom,
    run: async (context) => {
      const work = (): void => context.batches.forEach((given) => update(context.algorithm, given));
      return (await callsOfMathRandom(work)).slice(0, 3).map((place) => `Math.random is called ${place}`);
    },
  },
  {
    id: 'clock',
    title: 'credit and weights are the same at another date and time',
    severity: 'error',
    likelyCause: 'the code reads Date.now or performance.now; schedules must count steps, not seconds',
    ...clock,
    run: (context) => {
      const before = context.batches.map((given) => update(context.algorithm, given));
      return withOtherClock(() =>
        each(context, (given) => {
          const { credit, weight } = before[context.batches.indexOf(given)] as ReturnType<typeof update>;
          const later = update(context.algorithm, given);
          const alike = same(credit.advantages, later.credit.advantages) && same(weight, later.weight);
          return !alike && 'forty days later the answer is different';
        }),
      );
    },
  },
  {
    id: 'global-state',
    title: 'the global state of the process does not change',
    severity: 'error',
    likelyCause: 'process.on, or an assignment to a global',
    ...globalState,
    run: async (context) => {
      const work = (): void => context.batches.forEach((given) => update(context.algorithm, given));
      return (await changedGlobals(work)).map((name) => `${name} changed`);
    },
  },
];
