import type { LiveName, LossExpression, LossInputName, LossInputs, LossOperations } from '../contracts/loss.js';

const batch = (name: LossInputName): LossExpression => ({ op: 'batch', name });
const live = (name: LiveName): LossExpression => ({ op: 'live', name });

/** Every input that a loss may read. A missing input is an error only if a loss reads it. */
export const lossInputs: LossInputs = {
  logprob: live('logprob'),
  entropy: live('entropy'),
  value: live('value'),
  logprobs: batch('logprobs'),
  referenceLogprobs: batch('referenceLogprobs'),
  values: batch('values'),
  advantages: batch('advantages'),
  returns: batch('returns'),
  rewards: batch('rewards'),
  klCoefficient: batch('klCoefficient'),
  truncated: batch('truncated'),
};

/** JSON cannot store infinities, so a worker could not receive a constant that is not finite. */
function constant(value: number): LossExpression {
  if (!Number.isFinite(value)) throw new RangeError(`a loss has a constant that is not finite: ${value}`);
  return { op: 'constant', value };
}

/** Builds losses as plain data: `algorithm.loss(lossOperations, lossInputs)`. */
export const lossOperations: LossOperations = {
  constant,
  add: (left, right) => ({ op: 'add', left, right }),
  sub: (left, right) => ({ op: 'sub', left, right }),
  mul: (left, right) => ({ op: 'mul', left, right }),
  div: (left, right) => ({ op: 'div', left, right }),
  min: (left, right) => ({ op: 'min', left, right }),
  max: (left, right) => ({ op: 'max', left, right }),
  greater: (left, right) => ({ op: 'greater', left, right }),
  clip: (of, low, high) => {
    if (!(low <= high)) throw new RangeError(`nothing lies between ${low} and ${high}`);
    // The clipped expression is the first operand in both, so that a tie with a bound keeps its derivative.
    return { op: 'min', left: { op: 'max', left: of, right: constant(low) }, right: constant(high) };
  },
  where: (condition, then, otherwise) => ({ op: 'where', condition, then, otherwise }),
  exp: (of) => ({ op: 'exp', of }),
  log: (of) => ({ op: 'log', of }),
  logsigmoid: (of) => ({ op: 'logsigmoid', of }),
  stopGradient: (of) => ({ op: 'stopGradient', of }),
  sequenceSum: (of) => ({ op: 'sequenceSum', of }),
  sequenceMean: (of) => ({ op: 'sequenceMean', of }),
  pairDifference: (of) => ({ op: 'pairDifference', of }),
};
