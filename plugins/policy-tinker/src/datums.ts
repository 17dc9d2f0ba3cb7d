import type { NamedLoss, TrainingBatch } from '@agentgym/cli';

import { Unavailable } from './connection.js';
import { type Datum, type ModelPass, MOST_LOGPROB } from './messages.js';
import type { ServerFacts } from './servers.js';

/** The rows of a batch as the server reads them; rows without a sampled token are left out. */
export interface Rows {
  readonly rows: readonly number[];
  readonly batch: TrainingBatch;
}

/** The rows of a batch that have a sampled token. */
export function sampledRows(batch: TrainingBatch): Rows {
  const rows = Array.from({ length: batch.rows }, (_, row) => row);
  return { rows: rows.filter((row) => lastSampled(batch, row) > 0), batch };
}

/**
 * The rows as data for one loss, such that the server's gradient is that of the sum over tokens of weight * loss.
 *
 * The server's own `weights` cannot hold our weights where it divides by their sum, so they become part of the
 * advantages: `ppo`, `cispo` and `importance_sampling` are proportional to them. A cross entropy has no advantages, and
 * is written as `cispo` with both bounds 1, whose ratio is then 1.
 *
 * @param scale factor of a server that takes the mean over sequences: their number
 */
export function lossPass({ batch, rows }: Rows, loss: NamedLoss, facts: ServerFacts, scale: number): ModelPass {
  const isMean = facts.reduction === 'sequence-mean';
  const readsAdvantages = loss.name !== 'cross_entropy';
  const asCrossEntropy = loss.name === 'cross_entropy' || loss.name === 'policy_gradient';
  const data = rows.map((row) => {
    const { at, sampled, targets, tokens } = frameOf(batch, row);
    const count = sampled.length;
    const factors = (index: number) =>
      (batch.weight[index] as number) *
      (readsAdvantages ? (batch.advantages[index] as number) : 1) *
      (isMean ? count * scale : 1);
    const fill = (value: (index: number) => number) => {
      const numbers = new Float32Array(targets.length);
      for (const index of sampled) numbers[at(index)] = value(index);
      return numbers;
    };
    if (asCrossEntropy && !isMean) return { tokens, targets, inputs: { weights: fill(factors) } };
    const inputs = {
      advantages: fill(factors),
      // The ratio of a cross entropy does not matter, but it must be finite.
      logprobs: fill((index) => (asCrossEntropy ? 0 : (batch.logprobs[index] as number))),
      ...(facts.weightsInAllLosses && { weights: fill(() => 1) }),
    };
    return { tokens, targets, inputs };
  });
  return { data, forwardOnly: false, ...serverLoss(loss, isMean) };
}

/** The rows as data of which only log probabilities are wanted. */
export function readPass({ batch, rows }: Rows): ModelPass {
  const data = rows.map((row) => {
    const { at, sampled, targets, tokens } = frameOf(batch, row);
    const weights = new Float32Array(targets.length);
    for (const index of sampled) weights[at(index)] = 1;
    return { tokens, targets, inputs: { weights } };
  });
  return { data, forwardOnly: true, loss: 'cross_entropy', settings: {} };
}

/** The data in parts that a server takes at once, in order. */
export function splitData(
  data: readonly Datum[],
  limits: { readonly sequences: number; readonly tokens: number },
): readonly (readonly Datum[])[] {
  const parts: Datum[][] = [];
  let tokens = 0;
  for (const datum of data) {
    const part = parts.at(-1);
    if (part === undefined || part.length === limits.sequences || tokens + datum.tokens.length > limits.tokens) {
      parts.push([datum]);
      tokens = datum.tokens.length;
    } else {
      part.push(datum);
      tokens += datum.tokens.length;
    }
  }
  return parts;
}

/** [rows, width] log probabilities of sampled tokens out of those of each datum; 0 elsewhere. */
export function placeLogprobs({ batch, rows }: Rows, answers: readonly ArrayLike<number>[]): Float64Array {
  const logprobs = new Float64Array(batch.rows * batch.width);
  for (const [position, row] of rows.entries()) {
    const answer = answers[position];
    const { at, sampled, targets } = frameOf(batch, row);
    if (answer?.length !== targets.length) {
      throw new Unavailable(
        `the server returned ${answer?.length ?? 'no'} log probabilities for ${targets.length} tokens`,
      );
    }
    for (const index of sampled) {
      const logprob = answer[at(index)] as number;
      if (logprob > MOST_LOGPROB) throw new Unavailable(`the server returned the log probability ${logprob}`);
      logprobs[index] = logprob;
    }
  }
  return logprobs;
}

/** Whether the loss of every sampled token can be sent. */
export function hasFiniteLoss({ batch, rows }: Rows): boolean {
  return rows.every((row) =>
    frameOf(batch, row).sampled.every((index) =>
      [batch.weight[index], batch.advantages[index], batch.logprobs[index]].every(Number.isFinite),
    ),
  );
}

/** A row up to its last sampled token: what follows is of no use to the model. */
function frameOf(batch: TrainingBatch, row: number) {
  const start = row * batch.width;
  const last = lastSampled(batch, row);
  const ids = Array.from(batch.tokens.subarray(start, start + last + 1));
  // The first token of a sequence is predicted from nothing, so no position has it as its target.
  const sampled = Array.from({ length: last }, (_, index) => start + 1 + index).filter(
    (index) => batch.mask[index] === 1,
  );
  /** The position whose target is the token at this index of the batch. */
  const at = (index: number): number => index - start - 1;
  return { tokens: ids.slice(0, -1), targets: ids.slice(1), sampled, at };
}

/** Place of a row's last sampled token; 0 if it has none. */
function lastSampled({ length, mask, width }: TrainingBatch, row: number): number {
  for (let place = (length[row] as number) - 1; place > 0; place -= 1)
    if (mask[row * width + place] === 1) return place;
  return 0;
}

/** Larger than every ratio: the servers read bounds as float32, and JSON has no infinity. */
const NO_BOUND = 1e30;

function serverLoss(loss: NamedLoss, isMean: boolean): Pick<ModelPass, 'loss' | 'settings'> {
  const bounds = (low: number, high: number) => ({
    clip_low_threshold: low,
    clip_high_threshold: Math.min(high, NO_BOUND),
  });
  switch (loss.name) {
    case 'cross_entropy':
    case 'policy_gradient':
      return isMean ? { loss: 'cispo', settings: bounds(1, 1) } : { loss: 'cross_entropy', settings: {} };
    case 'importance_sampling':
      return { loss: 'importance_sampling', settings: {} };
    default:
      return { loss: loss.name, settings: bounds(loss.low, loss.high) };
  }
}
