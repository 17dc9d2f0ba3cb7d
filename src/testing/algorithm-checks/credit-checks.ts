// Checks of advantages, returns and weights, which an algorithm computes before its loss is differentiated.
import type { TrainingBatch } from '../../contracts/batch.js';
import { selectRows } from '../../rollout/select-rows.js';
import type { KitCheck } from '../conformance-kit.js';
import { each, near, same, update, type AlgorithmContext } from './algorithm-context.js';

interface Credit {
  readonly advantages: Float64Array;
  readonly weights: Float64Array;
  readonly returns?: Float64Array;
}

const outside = (batch: TrainingBatch, array: Float64Array): number =>
  array.findIndex((value, index) => batch.mask[index] !== 1 && value !== 0);

/** Row numbers in reverse order. Pairs stay together, with the winner first. */
function turnedAround(rows: number, pairs: boolean): number[] {
  const unit = pairs ? 2 : 1;
  return Array.from({ length: rows }, (_, place) => {
    const at = rows - unit - unit * Math.floor(place / unit);
    return at + (place % unit);
  });
}

export const creditChecks: readonly KitCheck<AlgorithmContext>[] = [
  // This check comes first: a later call would write the same values again, which shows no change.
  {
    id: 'batch-untouched',
    title: 'the algorithm does not change the batch',
    severity: 'error',
    likelyCause: 'the algorithm fills an array of the batch instead of a new one',
    why: 'Other epochs and the log use the batch again.',
    cure: 'Fill a new array.',
    run: (context) =>
      each(context, (given) => {
        const before = structuredClone(given.batch);
        update(context.algorithm, given);
        for (const [name, value] of Object.entries(given.batch)) {
          const was = before[name as keyof TrainingBatch];
          if (ArrayBuffer.isView(value) && !same(value as Float64Array, was as Float64Array)) return `${name} changed`;
        }
        return undefined;
      }),
  },
  {
    id: 'zero-outside-actions',
    title: 'advantages, returns and weights are 0 where no token was sampled',
    severity: 'error',
    likelyCause: 'a value of the episode is written to every token of its row, including padding and observations',
    why: 'Loss on tokens that were not sampled teaches the policy to write observations.',
    cure: 'Write credit and weights only where `mask` is 1; host.credit.spreadOverTokens does this.',
    run: (context) =>
      each(context, (given) => {
        const { credit, weight } = update(context.algorithm, given);
        const { advantages, returns } = credit;
        for (const [name, array] of Object.entries({ advantages, weight, ...(returns && { returns }) })) {
          const index = outside(given.batch, array);
          if (index !== -1) return `${name}[${index}] is ${array[index]} where the mask is 0`;
        }
        return undefined;
      }),
  },
  {
    id: 'finite',
    title:
      'advantages, weights, terms and derivatives are finite, also for groups of one, equal returns and rows without a sampled token',
    severity: 'error',
    likelyCause: 'a division by a deviation of 0 or a count of 0',
    why: 'One non-finite number makes the trainer discard the whole step, or corrupts the weights.',
    cure: 'Add an epsilon to deviations, and give groups of one and rows without a sampled token a credit of 0.',
    run: (context) =>
      each(context, (given) => {
        const { credit, weight, result } = update(context.algorithm, given);
        const arrays = { advantages: credit.advantages, weight, ...result.gradients };
        for (const [name, array] of Object.entries(arrays)) {
          if (array.some((value) => !Number.isFinite(value))) return `${name} contains a non-finite number`;
        }
        const term = Object.entries(result.terms).find(([, value]) => !Number.isFinite(value));
        return term && `the term ${term[0]} is ${term[1]}`;
      }),
  },
  {
    id: 'masked-noise',
    title: 'values where no token was sampled do not matter, NaN included',
    severity: 'error',
    likelyCause: 'the code multiplies with the mask instead of selecting by it',
    why: 'Engines may leave any value where no token was sampled. It would leak into the gradient.',
    cure: 'Select by the mask and never multiply with it: NaN times 0 is NaN.',
    run: (context) =>
      each(context, (given) => {
        const [clean, noisy] = [given, { ...given, ...given.spoilt }].map((one) => update(context.algorithm, one));
        if (!same(clean!.credit.advantages, noisy!.credit.advantages)) return 'the advantages change';
        if (!same(clean!.weight, noisy!.weight)) return 'the weights change';
        if (!same(clean!.credit.returns ?? [], noisy!.credit.returns ?? [])) return 'the returns change';
        const differs = (['logprob', 'value'] as const).some(
          (live) => !same(clean!.result.gradients[live], noisy!.result.gradients[live]),
        );
        return differs && 'the derivatives change';
      }),
  },
  {
    id: 'weights-normalised',
    title: 'weights are not negative, and repeating all rows of a minibatch keeps the total weight',
    severity: 'error',
    likelyCause: 'the weights are not divided by the number of tokens or sequences of the minibatch',
    why: 'The size of the step would depend on the size of the minibatch.',
    cure: 'Divide by the number of tokens or sequences of the minibatch; host.credit.aggregationWeights does this.',
    run: (context) =>
      each(context, ({ batch }) => {
        const total = (of: TrainingBatch): number => context.algorithm.weights(of).reduce((sum, w) => sum + w, 0);
        if (context.algorithm.weights(batch).some((weight) => weight < 0)) return 'a weight is negative';
        const rows = Array.from({ length: batch.rows }, (_, row) => row);
        const [once, twice] = [total(batch), total(selectRows(batch, [...rows, ...rows]))];
        if (Math.abs(once - twice) <= 1e-9 * Math.max(1, once)) return undefined;
        return `the weights add up to ${once}, but to ${twice} with every row twice`;
      }),
  },
  {
    id: 'rows-permuted',
    title: 'the order of the rows does not matter',
    severity: 'error',
    likelyCause:
      'groups are identified by their position in the batch instead of `batch.group`, or a sum depends on earlier rows',
    why: 'The order of rows depends on which episodes end first and on how batches are split.',
    cure: 'Find the members of a group by `batch.group` (host.credit.groupRows).',
    run: (context) =>
      each(context, ({ batch }) => {
        const { algorithm } = context;
        const order = turnedAround(batch.rows, algorithm.pairs === true);
        const credit = (of: TrainingBatch): Credit => {
          const { advantages, returns } = algorithm.advantages(of, algorithm.initialState);
          return { advantages, weights: algorithm.weights({ ...of, advantages }), ...(returns && { returns }) };
        };
        const straight = credit(batch);
        const turned = credit(selectRows(batch, order));
        for (const name of ['advantages', 'weights', 'returns'] as const) {
          const [before, array] = [straight[name], turned[name]];
          if (before === undefined || array === undefined) continue;
          for (const [place, row] of order.entries()) {
            for (let column = 0; column < batch.width; column += 1) {
              const [was, is] = [before[row * batch.width + column], array[place * batch.width + column]];
              if (near(was, is)) continue;
              return `${name} of row ${row} is ${was}, but ${is} in another order of the rows`;
            }
          }
        }
        return undefined;
      }),
  },
  {
    id: 'groups-apart',
    title: 'if the algorithm claims it, the credit of a group does not depend on other groups',
    severity: 'error',
    likelyCause: 'a mean or deviation is computed over the batch instead of the group',
    why: 'Users choose an algorithm by this claim. Without it, an easy task changes the credit of a hard one.',
    cure: 'Compute means and deviations over the group, or remove the claim.',
    idle: ({ algorithm }) =>
      algorithm.claims?.includes('groups-apart') === true ? undefined : 'the algorithm does not claim it',
    run: (context) =>
      each(context, ({ batch }) => {
        const { algorithm } = context;
        const first = batch.group[0];
        const others = Float64Array.from(batch.rewards, (reward, index) =>
          batch.group[Math.floor(index / batch.width)] === first || batch.mask[index] !== 1 ? reward : 2 * reward + 1,
        );
        const [was, is] = [batch, { ...batch, rewards: others }].map(
          (given) => algorithm.advantages(given, algorithm.initialState).advantages,
        );
        const index = was!.findIndex(
          (value, at) => batch.group[Math.floor(at / batch.width)] === first && !near(value, is![at]),
        );
        return (
          index !== -1 &&
          `an advantage of group ${first} changes from ${was![index]} to ${is![index]} when the rewards of other groups change`
        );
      }),
  },
];
