// Checks of the loss expression: the arrays it reads, its direction, and that it does not change.
import type { Algorithm } from '../../contracts/algorithm.js';
import { emptyColumn, mapColumns, type BatchColumn } from '../../credit/batch-columns.js';
import { evaluateLoss } from '../../credit/evaluate-loss.js';
import { lossInputs, lossOperations } from '../../credit/loss-operations.js';
import { selectRows } from '../../rollout/select-rows.js';
import type { KitCheck } from '../conformance-kit.js';
import { credited, each, lossOf, near, same, update, type AlgorithmContext } from './algorithm-context.js';

export const lossChecks: readonly KitCheck<AlgorithmContext>[] = [
  {
    id: 'roles',
    title: 'the algorithm reads a reference, a critic, a greedy return or start states only if it asks for them',
    severity: 'error',
    likelyCause:
      'the role is missing in `roles`, or `critic` is missing; the trainer fills only the columns of named roles',
    why: 'The trainer fills only the columns that `roles` and `critic` ask for. The loss would read missing data.',
    cure: 'Add the role, or do not read its arrays.',
    run: (context) => {
      const { roles, critic } = context.algorithm;
      const filled = new Set<BatchColumn['role']>([undefined, ...roles, ...(critic ? ['critic' as const] : [])]);
      return each(context, (given) => {
        const batch = mapColumns(given.batch, (name, column) => {
          if (filled.has(column.role)) return given.batch[name];
          return column.optional ? undefined : emptyColumn(column, given.batch);
        });
        const { logprob, entropy, value } = given.live;
        try {
          update(context.algorithm, { batch, live: { logprob, entropy, ...(critic && { value }) } });
        } catch (error) {
          return String(error);
        }
        return undefined;
      });
    },
  },
  {
    id: 'direction',
    title:
      'while the policy equals the sampler, the loss falls when tokens with a positive advantage become more likely',
    severity: 'error',
    likelyCause: 'a wrong sign: a loss is minimised, an objective maximised',
    why: 'The policy would unlearn rewarded actions.',
    cure: 'A loss is minimised: start it with a minus sign.',
    run: (context) =>
      each(context, (given) => {
        const { credit, weight, result } = update(context.algorithm, given);
        const { logprob } = result.gradients;
        const slope = credit.advantages.reduce(
          (sum, a, i) => sum + a * (logprob[i] as number) * (weight[i] as number),
          0,
        );
        return (
          slope > 0 && 'the derivatives of the loss have the sign of the advantages; they must have the opposite sign'
        );
      }),
  },
  {
    id: 'loss-constant',
    title: 'loss and weights depend only on their arguments: they are the same in every minibatch, epoch and instance',
    severity: 'error',
    likelyCause:
      'the loss contains a constant from an earlier batch; changing numbers belong in `state` or `klCoefficient`',
    why: 'The loss is compiled once and used for every minibatch.',
    cure: 'Build the loss only from its arguments and the options. Numbers that change from batch to batch are data of the batch.',
    run: async (context) => {
      const { algorithm } = context;
      const fresh = await context.create();
      const losses = (of: Algorithm): string =>
        JSON.stringify([of.loss(lossOperations, lossInputs), of.critic?.loss(lossOperations, lossInputs)]);
      const before = losses(fresh);
      const found: string[] = [];
      for (const given of context.batches) {
        const { weight } = update(algorithm, given);
        if (losses(algorithm) !== before) found.push(`after ${given.name} the loss is a different expression`);
        if (!same(update(fresh, given).weight, weight))
          found.push(`on ${given.name} the weights differ between instances`);
        if (found.length > 0) return found;
      }
      return found;
    },
  },
  {
    id: 'split-invariant',
    title: 'any split of a minibatch into micro-batches gives the same sums and derivatives',
    severity: 'error',
    likelyCause: 'the loss of one row reads another row; the divisor of a mean belongs in the weights',
    why: 'Engines split minibatches to fit into memory. Results would depend on the machine.',
    cure: 'The loss of a token may read only its own row (with pairs: its own pair).',
    run: (context) =>
      each(context, (given) => {
        const { batch, live } = given;
        const { credit, weight, result } = update(context.algorithm, given);
        const loss = lossOf(context.algorithm);
        const whole = credited(batch, credit, weight);
        const unit = context.algorithm.pairs === true ? 2 : 1;
        const sums: Record<string, number> = {};
        for (let row = 0; row < batch.rows; row += unit) {
          const rows = Array.from({ length: unit }, (_, index) => row + index);
          const part = selectRows(whole, rows);
          const cut = (array: Float64Array): Float64Array => selectRows({ ...batch, weight: array }, rows).weight;
          const lived = { logprob: cut(live.logprob), entropy: cut(live.entropy), value: cut(live.value) };
          const { terms } = evaluateLoss(part, lived, loss);
          for (const [name, value] of Object.entries(terms)) sums[name] = (sums[name] ?? 0) + value;
        }
        const apart = Object.entries(result.terms).find(([name, value]) => !near(value, sums[name] ?? 0));
        return apart && `the term ${apart[0]} is ${apart[1]} for the whole batch, but ${sums[apart[0]]} row by row`;
      }),
  },
];
