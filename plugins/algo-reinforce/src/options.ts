import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  discounts: { group: 'discounts' },
  baseline: {
    type: 'choice',
    choices: ['none', 'moving', 'greedy'],
    default: 'none',
    description:
      'Baseline subtracted from returns: none, moving means of earlier batches per turn, or the return of the greedy episode of the task (ReMax)',
  },
  movingDecay: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.9,
    description: 'Weight of the old moving means when a batch is added, with baseline: moving',
  },
  normalize: {
    type: 'choice',
    choices: ['none', 'turns'],
    default: 'none',
    description: 'Normalise the returns of all turns of a batch to mean 0 and deviation 1 (ReBN)',
  },
  deviation: {
    type: 'choice',
    choices: ['population', 'sample'],
    default: 'population',
    description: 'Divide by n in the deviation over n turns, instead of n - 1',
  },
  varianceEpsilon: {
    type: 'number',
    minimum: 0,
    default: 0,
    description: 'Added to the variance over turns before the root is taken',
  },
  noSignalBelow: {
    type: 'number',
    minimum: 0,
    default: 1e-8,
    description: 'If the deviation of turns is not above this, normalised returns are 0',
  },
  importance: { group: 'importance' },
  clip: { group: 'clip' },
  kl: { group: 'kl', change: { klIn: { default: 'reward' }, klEstimator: { default: 'k1' } } },
  entropyCoefficient: { group: 'entropy' },
  aggregation: { group: 'aggregation', change: { aggregation: { default: 'sequence-mean-token-sum' } } },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/** Options that contradict each other, and options without effect because of others, `epochs` or `minibatches`. */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const findings: AlgorithmFinding[] = [
    ...checks.importance(chosen, settings),
    ...checks.kl(chosen),
    ...checks.aggregation(chosen),
  ];
  const idle = (...finding: Parameters<OptionChecks['idle']>): void => void findings.push(checks.idle(...finding));
  if (chosen.baseline !== 'moving') {
    const beside = `with baseline: ${chosen.baseline}`;
    idle('movingDecay', beside, 'Remove movingDecay, or set baseline: moving.');
  }
  if (chosen.normalize === 'none') {
    for (const name of ['deviation', 'varianceEpsilon', 'noSignalBelow']) {
      idle(name, 'with normalize: none', `Remove ${name}, or set normalize: turns.`);
    }
  }
  if (chosen.baseline === 'moving' && chosen.normalize === 'turns') {
    findings.push({
      path: ['baseline'],
      message: 'baseline: moving and normalize: turns both subtract a mean from the same returns',
      hint: 'Set one of them to none; normalize: turns already subtracts the mean of the batch.',
    });
  }
  if (chosen.baseline === 'greedy') {
    for (const name of ['turnDiscount', 'tokenDiscount'] as const) {
      if (chosen[name] === 1) continue;
      findings.push({
        path: [name],
        message: `${name} is ${chosen[name]}, but baseline: greedy is the undiscounted return of an episode`,
        hint: `Remove ${name}, or set baseline: moving, which uses means of discounted returns.`,
      });
    }
  }
  return findings;
}
