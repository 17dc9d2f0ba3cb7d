import type { AlgorithmFinding, OptionChecks, OptionsDeclaration, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  pairing: {
    type: 'choice',
    choices: ['matched', 'all'],
    default: 'matched',
    description: 'Pairs of a group: the best episode with the worst, the second with the last but one, ...; or all',
  },
  pairsPerTask: {
    type: 'integer',
    minimum: 1,
    default: null,
    description: 'Most pairs of a group, those whose returns differ most; unset: all of them',
  },
  margin: {
    type: 'number',
    minimum: 0,
    default: 1e-8,
    description: 'The returns of a pair differ by more than this',
  },
  refillRounds: {
    type: 'integer',
    minimum: 0,
    default: 0,
    description: 'Rounds of further tasks that a step may play in the place of groups without a pair',
  },
  loss: {
    type: 'choice',
    choices: ['sigmoid', 'ipo'],
    default: 'sigmoid',
    description: "What is made of a pair's difference: a logistic regression, or a distance from 1 / (2 beta)",
  },
  beta: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    default: 0.1,
    description: 'How dear it is to leave the reference: large stays near, small goes far',
  },
  lengthNormalized: {
    type: 'boolean',
    default: false,
    description: "An episode's log ratio to the reference is the mean over its sampled tokens, not their sum",
  },
  labelSmoothing: {
    type: 'number',
    minimum: 0,
    maximum: 0.5,
    default: 0,
    description: 'How likely it is that a pair is the wrong way round',
  },
  sftCoefficient: {
    type: 'number',
    minimum: 0,
    default: 0,
    description: 'Weight of the cross entropy on the winners',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

/** Options that contradict each other or the recipe's `groupSize`, and settings that are idle beside others. */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const { groupSize } = settings;
  const findings: AlgorithmFinding[] = [...checks.groupOfOne(settings)];
  const idle = (...finding: Parameters<OptionChecks['idle']>): void => void findings.push(checks.idle(...finding));
  if (settings.recomputeLogprobs) {
    findings.push({
      setting: 'recomputeLogprobs',
      path: [],
      message: "it has no effect, since the sampler's probabilities are not read",
      hint: 'Set recomputeLogprobs to false.',
    });
  }
  if (groupSize === 2) {
    idle('pairing', 'with algorithm.groupSize: 2: there is one pair', 'Remove pairing, or raise algorithm.groupSize.');
  } else if (chosen.pairsPerTask === 1) {
    idle('pairing', 'with pairsPerTask: 1: it is the best with the worst', 'Remove pairing, or raise pairsPerTask.');
  }
  const most = chosen.pairing === 'all' ? (groupSize * (groupSize - 1)) / 2 : Math.floor(groupSize / 2);
  if (groupSize > 1 && chosen.pairsPerTask !== null && chosen.pairsPerTask >= most) {
    const beside = `with algorithm.groupSize: ${groupSize} and pairing: ${chosen.pairing}: no group has more than ${most}`;
    idle('pairsPerTask', beside, 'Lower pairsPerTask or remove it, or raise algorithm.groupSize.');
  }
  if (chosen.loss === 'ipo') {
    idle('labelSmoothing', 'with loss: ipo', 'Remove labelSmoothing, or set loss: sigmoid.');
  } else if (chosen.labelSmoothing === 0.5) {
    findings.push({
      path: ['labelSmoothing'],
      message:
        'labelSmoothing: 0.5 says of no pair which episode is better: the loss prefers neither, whatever beta is',
      hint: 'Lower labelSmoothing, such as to 0.1.',
    });
  }
  return findings;
}
