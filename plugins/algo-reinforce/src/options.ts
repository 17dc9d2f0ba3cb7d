import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  discounts: { group: 'discounts' },
  baseline: {
    type: 'choice',
    choices: ['none', 'moving', 'greedy'],
    default: 'none',
    description:
      "What is subtracted from returns: nothing, moving means of earlier batches by turn, or the return of the task's greedy episode (ReMax)",
  },
  movingDecay: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.9,
    description: 'Weight of what the moving means were before a batch, with baseline: moving',
  },
  normalize: {
    type: 'choice',
    choices: ['none', 'turns'],
    default: 'none',
    description: 'Whether the returns of all turns of a batch are brought to mean 0 and deviation 1 (ReBN)',
  },
  deviation: {
    type: 'choice',
    choices: ['population', 'sample'],
    default: 'population',
    description: 'Whether the deviation over turns divides by their number n, or by n - 1',
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
    description: 'Turns whose deviation is not above this have no signal: normalised, they are 0',
  },
  importance: { group: 'importance' },
  clip: { group: 'clip' },
  kl: { group: 'kl', change: { klIn: { default: 'reward' }, klEstimator: { default: 'k1' } } },
  entropyCoefficient: { group: 'entropy' },
  aggregation: { group: 'aggregation', change: { aggregation: { default: 'sequence-mean-token-sum' } } },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/** Options that contradict each other, and those that are idle beside others, `epochs` and `minibatches`. */
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
      message: 'baseline: moving and normalize: turns both take a mean from the same returns',
      hint: 'Set one of them to none: normalize: turns subtracts the mean of the batch itself.',
    });
  }
  if (chosen.baseline === 'greedy') {
    for (const name of ['turnDiscount', 'tokenDiscount'] as const) {
      if (chosen[name] === 1) continue;
      findings.push({
        path: [name],
        message: `${name} is ${chosen[name]}, and baseline: greedy is the undiscounted return of an episode`,
        hint: `Remove ${name}, or set baseline: moving, whose means are of discounted returns.`,
      });
    }
  }
  return findings;
}
