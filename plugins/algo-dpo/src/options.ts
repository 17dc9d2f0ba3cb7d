import type { AlgorithmFinding, OptionChecks, OptionsDeclaration, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  pairing: {
    type: 'choice',
    choices: ['matched', 'all'],
    default: 'matched',
    description:
      'How to pair the episodes of a group: the best with the worst, the second with the second worst, and so on; or all pairs',
  },
  pairsPerTask: {
    type: 'integer',
    minimum: 1,
    default: null,
    description: 'Maximum number of pairs of a group, those with the largest difference of returns; unset: all pairs',
  },
  margin: {
    type: 'number',
    minimum: 0,
    default: 1e-8,
    description: 'Minimum difference of the returns of a pair (exclusive)',
  },
  refillRounds: {
    type: 'integer',
    minimum: 0,
    default: 0,
    description: 'Maximum number of extra rounds of tasks that a step may play to replace groups without a pair',
  },
  loss: {
    type: 'choice',
    choices: ['sigmoid', 'ipo'],
    default: 'sigmoid',
    description:
      "Loss of a pair's difference: logistic regression (sigmoid), or squared distance from 1 / (2 beta) (ipo)",
  },
  beta: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    default: 0.1,
    description: 'Strength of the pull to the reference: large values stay near it, small values allow large changes',
  },
  lengthNormalized: {
    type: 'boolean',
    default: false,
    description: "Use the mean over sampled tokens for an episode's log ratio to the reference, instead of the sum",
  },
  labelSmoothing: {
    type: 'number',
    minimum: 0,
    maximum: 0.5,
    default: 0,
    description: 'Assumed probability that the order of a pair is wrong',
  },
  sftCoefficient: {
    type: 'number',
    minimum: 0,
    default: 0,
    description: 'Weight of the cross entropy on the better episodes',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

/** Options that contradict each other or the recipe's `groupSize`, and settings without effect because of others. */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const { groupSize } = settings;
  const findings: AlgorithmFinding[] = [...checks.groupOfOne(settings)];
  const idle = (...finding: Parameters<OptionChecks['idle']>): void => void findings.push(checks.idle(...finding));
  if (settings.recomputeLogprobs) {
    findings.push({
      setting: 'recomputeLogprobs',
      path: [],
      message: "it has no effect, because this algorithm does not read the sampler's probabilities",
      hint: 'Set recomputeLogprobs to false.',
    });
  }
  if (groupSize === 2) {
    idle(
      'pairing',
      'with algorithm.groupSize: 2: there is only one pair',
      'Remove pairing, or raise algorithm.groupSize.',
    );
  } else if (chosen.pairsPerTask === 1) {
    idle(
      'pairing',
      'with pairsPerTask: 1: this is always the best with the worst',
      'Remove pairing, or raise pairsPerTask.',
    );
  }
  const most = chosen.pairing === 'all' ? (groupSize * (groupSize - 1)) / 2 : Math.floor(groupSize / 2);
  if (groupSize > 1 && chosen.pairsPerTask !== null && chosen.pairsPerTask >= most) {
    const beside = `with algorithm.groupSize: ${groupSize} and pairing: ${chosen.pairing}: a group has at most ${most} pairs`;
    idle('pairsPerTask', beside, 'Lower pairsPerTask or remove it, or raise algorithm.groupSize.');
  }
  if (chosen.loss === 'ipo') {
    idle('labelSmoothing', 'with loss: ipo', 'Remove labelSmoothing, or set loss: sigmoid.');
  } else if (chosen.labelSmoothing === 0.5) {
    findings.push({
      path: ['labelSmoothing'],
      message: 'with labelSmoothing: 0.5 the loss prefers neither episode of a pair, for any beta',
      hint: 'Lower labelSmoothing, such as to 0.1.',
    });
  }
  return findings;
}
