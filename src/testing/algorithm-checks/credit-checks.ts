// Checks of advantages, returns and weights, which an algorithm computes before its loss is differentiated.
import type { TrainingBatch } from '../../contracts/batch.js';
import { selectRows } from '../../rollout/select-rows.js';
import { cutEpisodes } from '../cut-episodes.js';
import { type AlgorithmCheck, arraysOf, eachBatch, near, same, update } from './algorithm-context.js';

/** Row numbers in reverse order. Pairs stay together, with the winner first. */
function turnedAround(rows: number, unit: number): number[] {
  return Array.from({ length: rows }, (_, place) => rows - unit - unit * Math.floor(place / unit) + (place % unit));
}

/** Rows of one episode are added in the order of one row, so hardly a bit differs. */
const exact = (left: number, right = NaN): boolean => Math.abs(left - right) <= 1e-10 * Math.max(1, Math.abs(left));

export const creditChecks: readonly AlgorithmCheck[] = [
  // This check comes first: a later call would write the same values again, which shows no change.
  {
    id: 'batch-untouched',
    title: 'the algorithm does not change the batch',
    cure: 'Fill a new array: other epochs and the log use the batch again.',
    run: eachBatch((given, { algorithm }) => {
      const before = structuredClone(given.batch);
      update(algorithm, given);
      for (const [name, value] of Object.entries(given.batch)) {
        const was = before[name as keyof TrainingBatch];
        if (ArrayBuffer.isView(value) && !same(value as Float64Array, was as Float64Array)) return `${name} changed`;
      }
      return undefined;
    }),
  },
  {
    id: 'masked-noise',
    title: 'where no token was sampled, values do not matter, NaN included, and advantages, returns and weights are 0',
    cure: 'Select by the mask and never multiply with it: NaN times 0 is NaN. Write credit only where `mask` is 1; host.credit.spreadOverTokens does this.',
    run: eachBatch((given, { algorithm }) => {
      const arrays = arraysOf(update(algorithm, given));
      const noisy = arraysOf(update(algorithm, { ...given, ...given.spoilt }));
      const other = Object.keys(arrays).find((name) => !same(arrays[name]!, noisy[name]!));
      if (other !== undefined) return `${other} changes with values where the mask is 0`;
      for (const name of ['advantages', 'returns', 'weight'] as const) {
        const index = arrays[name]!.findIndex((value, at) => given.batch.mask[at] !== 1 && value !== 0);
        if (index !== -1) return `${name}[${index}] is ${arrays[name]![index]} where the mask is 0`;
      }
      return undefined;
    }),
  },
  {
    id: 'finite',
    title:
      'advantages, weights, terms and derivatives are finite, also for groups of one, equal returns and rows without a sampled token',
    cure: 'Add an epsilon to deviations, and give groups of one and rows without a sampled token a credit of 0.',
    run: eachBatch((given, { algorithm }) => {
      const updated = update(algorithm, given);
      const numbers = { ...arraysOf(updated), ...updated.result.terms };
      const infinite = Object.entries(numbers).find(([, value]) =>
        typeof value === 'number' ? !Number.isFinite(value) : !value.every(Number.isFinite),
      );
      return infinite && `${infinite[0]} contains a non-finite number`;
    }),
  },
  {
    id: 'weights-normalised',
    title: 'weights are not negative, and repeating all rows of a minibatch keeps the total weight',
    cure: 'Divide by the number of tokens or sequences of the minibatch; host.credit.aggregationWeights does this.',
    run: eachBatch(({ batch }, { algorithm }) => {
      const total = (of: TrainingBatch): number => algorithm.weights(of).reduce((sum, w) => sum + w, 0);
      if (algorithm.weights(batch).some((weight) => weight < 0)) return 'a weight is negative';
      const rows = Array.from({ length: batch.rows }, (_, row) => row);
      const [once, twice] = [total(batch), total(selectRows(batch, [...rows, ...rows]))];
      return !near(once, twice) && `the weights add up to ${once}, but to ${twice} with every row twice`;
    }),
  },
  {
    id: 'rows-permuted',
    title: 'the order of the rows does not matter',
    cure: 'Find the members of a group by `batch.group` (host.credit.groupEpisodes), not by their position in the batch.',
    run: eachBatch(({ batch }, { algorithm }) => {
      const order = turnedAround(batch.rows, algorithm.pairs === true ? 2 : 1);
      const credit = (of: TrainingBatch) => {
        const { advantages, returns = advantages } = algorithm.advantages(of, algorithm.initialState);
        return { advantages, returns, weights: algorithm.weights({ ...of, advantages }) };
      };
      const [straight, turned] = [credit(batch), credit(selectRows(batch, order))];
      for (const name of ['advantages', 'weights', 'returns'] as const) {
        for (const [place, row] of order.entries()) {
          for (let column = 0; column < batch.width; column += 1) {
            const was = straight[name][row * batch.width + column];
            const is = turned[name][place * batch.width + column];
            if (!near(was, is)) return `${name} of row ${row} is ${was}, but ${is} in another order of the rows`;
          }
        }
      }
      return undefined;
    }),
  },
  {
    id: 'cut-episodes',
    title:
      'an episode in several rows, whose sampled tokens see what they saw in one row, has the credit, loss and derivatives of one row',
    cure: 'Go through the episodes of a batch (host.credit.actionTokens), not through its rows: a shortened history gives an episode several rows.',
    run: eachBatch(({ batch, live }, { algorithm }) => {
      const cut = cutEpisodes(batch);
      const ofCut = { logprob: cut.take(live.logprob), entropy: cut.take(live.entropy), value: cut.take(live.value) };
      const [whole, parts] = [update(algorithm, { batch, live }), update(algorithm, { batch: cut.batch, live: ofCut })];
      const found = arraysOf(parts);
      for (const [name, array] of Object.entries(arraysOf(whole))) {
        const expected = cut.take(array);
        const index = expected.findIndex((value, at) => !Number.isNaN(value) && !exact(value, found[name]?.[at]));
        if (array.length > 0 && index >= 0)
          return `${name} of a token is ${found[name]?.[index]}, but ${expected[index]} in one row`;
      }
      const term = Object.entries(whole.result.terms).find(([name, value]) => !exact(value, parts.result.terms[name]));
      if (term !== undefined) return `the term ${term[0]} is ${parts.result.terms[term[0]]}, but ${term[1]} in one row`;
      const [before, after] = [whole, parts].map(({ credit: { klCoefficient, metrics, state } }) =>
        JSON.stringify([klCoefficient, metrics, state], (_, value: unknown) =>
          typeof value === 'number' ? value.toPrecision(9) : value,
        ),
      );
      return before !== after && `coefficient, metrics and state are ${after}, but ${before} in one row`;
    }),
  },
  {
    id: 'groups-apart',
    title: 'if the algorithm claims it, the credit of a group does not depend on other groups',
    cure: 'Compute means and deviations over the group, or remove the claim.',
    idle: ({ algorithm }) =>
      algorithm.claims?.includes('groups-apart') === true ? undefined : 'the algorithm does not claim it',
    run: eachBatch(({ batch }, { algorithm }) => {
      const [first] = batch.group;
      const isFirst = (index: number) => batch.group[Math.floor(index / batch.width)] === first;
      const rewards = batch.rewards.map((reward, index) =>
        isFirst(index) || batch.mask[index] !== 1 ? reward : 2 * reward + 1,
      );
      const was = algorithm.advantages(batch, algorithm.initialState).advantages;
      const is = algorithm.advantages({ ...batch, rewards }, algorithm.initialState).advantages;
      const index = was.findIndex((value, at) => isFirst(at) && !near(value, is[at]));
      if (index < 0) return undefined;
      return `an advantage of group ${first} goes from ${was[index]} to ${is[index]} with other rewards of other groups`;
    }),
  },
];
