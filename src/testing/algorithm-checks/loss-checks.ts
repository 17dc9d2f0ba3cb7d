// Checks of the loss expression: the arrays it reads, and that it does not change.
import type { Algorithm } from '../../contracts/algorithm.js';
import { emptyColumn, mapColumns, type BatchColumn } from '../../credit/batch-columns.js';
import { evaluateLoss } from '../../credit/evaluate-loss.js';
import { lossInputs, lossOperations } from '../../credit/loss-operations.js';
import { selectRows } from '../../rollout/select-rows.js';
import { firstFound } from '../findings.js';
import { type AlgorithmCheck, credited, eachBatch, lossOf, near, same, update } from './algorithm-context.js';

export const lossChecks: readonly AlgorithmCheck[] = [
  {
    id: 'roles',
    title: 'the algorithm reads a reference, a critic, a greedy return or start states only if it asks for them',
    cure: 'Add the role to `roles`, or a `critic`, or do not read its arrays: the trainer fills no others.',
    run: eachBatch((given, { algorithm }) => {
      const { roles, critic } = algorithm;
      const filled = new Set<BatchColumn['role']>([undefined, ...roles, ...(critic ? ['critic' as const] : [])]);
      const batch = mapColumns(given.batch, (name, column) => {
        if (filled.has(column.role)) return given.batch[name];
        return column.optional ? undefined : emptyColumn(column, given.batch);
      });
      const { logprob, entropy, value } = given.live;
      try {
        update(algorithm, { batch, live: { logprob, entropy, ...(critic && { value }) } });
        return undefined;
      } catch (error) {
        return String(error);
      }
    }),
  },
  {
    id: 'loss-constant',
    title: 'loss and weights depend only on their arguments: they are the same in every minibatch, epoch and instance',
    cure: 'Build the loss, which is compiled once, only from its arguments and the options. Numbers that change belong in `state` or `klCoefficient`.',
    run: async (context) => {
      const { algorithm } = context;
      const fresh = await context.create();
      const losses = (of: Algorithm): string =>
        JSON.stringify([of.loss(lossOperations, lossInputs), of.critic?.loss(lossOperations, lossInputs)]);
      const before = losses(fresh);
      return firstFound(context.batches, (given) => {
        const { weight } = update(algorithm, given);
        if (losses(algorithm) !== before) return `after ${given.name} the loss is a different expression`;
        const alike = same(update(fresh, given).weight, weight);
        return alike ? undefined : `on ${given.name} the weights differ between instances`;
      });
    },
  },
  {
    id: 'split-invariant',
    title: 'any split of a minibatch into micro-batches gives the same sums',
    cure: 'The loss of a token may read only its own row (with pairs: its own pair). Put the divisor of a mean into the weights.',
    run: eachBatch(({ batch, live }, { algorithm }) => {
      const { credit, weight, result } = update(algorithm, { batch, live });
      const loss = lossOf(algorithm);
      const whole = credited(batch, credit, weight);
      const unit = algorithm.pairs === true ? 2 : 1;
      const sums: Record<string, number> = {};
      for (let row = 0; row < batch.rows; row += unit) {
        const rows = Array.from({ length: unit }, (_, index) => row + index);
        const cut = (array: Float64Array): Float64Array => selectRows({ ...batch, weight: array }, rows).weight;
        const lived = { logprob: cut(live.logprob), entropy: cut(live.entropy), value: cut(live.value) };
        const { terms } = evaluateLoss(selectRows(whole, rows), lived, loss);
        for (const [name, value] of Object.entries(terms)) sums[name] = (sums[name] ?? 0) + value;
      }
      const apart = Object.entries(result.terms).find(([name, value]) => !near(value, sums[name] ?? 0));
      return apart && `the term ${apart[0]} is ${apart[1]} for the whole batch, but ${sums[apart[0]]} row by row`;
    }),
  },
];
