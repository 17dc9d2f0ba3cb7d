import type { LiveName, Loss, LossExpression, LossInputName } from '@agentgym/cli';

import type { GraphBuilder } from '../operations/graph-builder.js';
import { elementCount } from '../operations/shapes.js';
import type { Tensor } from '../operations/tensor.js';

/**
 * The sampled tokens of a batch, one slot each, episode after episode. Spare slots have mask 0 and any finite values.
 */
export interface LossSlots {
  /** Number of episodes that the slots come from. It must be even if the loss compares pairs. */
  readonly episodes: number;
  /** bool [slots] */
  readonly mask: Tensor;
  /** float32 [slots] */
  readonly weight: Tensor;
  /** int32 [slots], the episode of each slot. Called only if a loss sums over sequences. */
  episode(): Tensor;
  /** float32 [slots] */
  live(name: LiveName): Tensor;
  /** float32 [slots] */
  batch(name: LossInputName): Tensor;
}

export interface LoweredLoss {
  /** Each term's sum of weight * term. */
  readonly terms: ReadonlyMap<string, Tensor>;
  /** Each metric's sum. */
  readonly metrics: ReadonlyMap<string, Tensor>;
  /** Sum of all terms, which is differentiated. */
  readonly total: Tensor;
}

/**
 * A loss as tensors over slots. Values in spare slots have no effect: live quantities are selected before a loss reads
 * them, and its result is selected again before the sum. So no value or derivative passes, not even NaN.
 */
export function lowerLoss(graph: GraphBuilder, loss: Loss, slots: LossSlots): LoweredLoss {
  const known = new Map<LossExpression, Tensor>();
  const select = (of: Tensor): Tensor => graph.where(slots.mask, of, 0);
  const live = (name: LiveName): Tensor => select(slots.live(name));
  const lower = (expression: LossExpression): Tensor => {
    const tensor = known.get(expression) ?? lowerExpression(expression);
    known.set(expression, tensor);
    return tensor;
  };
  const sumOf = (of: Tensor): Tensor => graph.sum(select(graph.expand(of, slots.mask.shape)));
  const sums = (expressions: { readonly [name: string]: LossExpression }, factor: Tensor | number) =>
    new Map(Object.entries(expressions).map(([name, of]) => [name, sumOf(graph.mul(factor, lower(of)))]));

  const terms = sums(loss.terms, slots.weight);
  const metrics = sums(loss.metrics ?? {}, 1);
  const total = [...terms.values()].reduce((sum, term) => graph.add(sum, term), graph.constant(0));
  return { terms, metrics, total };

  function lowerExpression(expression: LossExpression): Tensor {
    switch (expression.op) {
      case 'constant':
        return graph.constant(expression.value);
      case 'batch':
        return slots.batch(expression.name);
      case 'live':
        return live(expression.name);
      case 'add':
      case 'sub':
      case 'mul':
      case 'div':
      case 'min':
      case 'max':
        return graph[expression.op](lower(expression.left), lower(expression.right));
      case 'greater':
        return graph.cast(graph.greater(lower(expression.left), lower(expression.right)), 'float32');
      case 'where': {
        const isZero = graph.equal(lower(expression.condition), 0);
        return graph.where(isZero, lower(expression.otherwise), lower(expression.then));
      }
      case 'exp':
      case 'log':
      case 'logsigmoid':
      case 'stopGradient':
        return graph[expression.op](lower(expression.of));
      case 'sequenceSum':
        return fromEpisodes(sumOverEpisodes(lower(expression.of)));
      case 'sequenceMean': {
        const sum = sumOverEpisodes(lower(expression.of));
        return fromEpisodes(graph.div(sum, graph.max(sumOverEpisodes(graph.constant(1)), 1)));
      }
      case 'pairDifference':
        return fromEpisodes(pairDifference(lower(expression.of)));
    }
  }

  /** float32 [slots, episodes]: 1 where the slot belongs to the episode, all 0 for spare slots. */
  function membership(): Tensor {
    const hot = graph.oneHot(slots.episode(), slots.episodes);
    return graph.where(graph.reshape(slots.mask, [-1, 1]), hot, 0);
  }

  /** [episodes, 1] */
  function sumOverEpisodes(of: Tensor): Tensor {
    const column = graph.reshape(select(graph.expand(of, slots.mask.shape)), [-1, 1]);
    return graph.matmul(membership(), column, { transposeLeft: true });
  }

  /** Copies [episodes, 1] to each slot of the episode. */
  function fromEpisodes(of: Tensor): Tensor {
    return graph.reshape(graph.matmul(membership(), of), [elementCount(slots.mask.shape)]);
  }

  /** [episodes, 1]: episode 2k minus episode 2k + 1 at the first slots of both; 0 if one of them has no slot. */
  function pairDifference(of: Tensor): Tensor {
    if (slots.episodes % 2 !== 0) throw new Error(`pairs need an even number of episodes, not ${slots.episodes}`);
    const member = membership();
    const count = graph.cumulativeSum(member, 0);
    const isFirst = graph.mul(member, graph.cast(graph.equal(count, 1), 'float32'));
    const column = graph.reshape(select(graph.expand(of, slots.mask.shape)), [-1, 1]);
    const pairs = graph.reshape(graph.matmul(isFirst, column, { transposeLeft: true }), [-1, 2]);
    const present = graph.reshape(graph.sum(isFirst, { axes: [0] }), [-1, 2]);
    const whole = graph.equal(graph.sum(present, { axes: [1], keep: true }), 2);
    const difference = graph.sub(graph.slice(pairs, 1, 0, 1), graph.slice(pairs, 1, 1, 2));
    return graph.reshape(graph.expand(graph.where(whole, difference, 0), pairs.shape), [slots.episodes, 1]);
  }
}
