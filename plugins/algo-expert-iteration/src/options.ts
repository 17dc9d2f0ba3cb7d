import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  keep: {
    type: 'choice',
    choices: ['success', 'return'],
    default: 'success',
    description: 'Episodes to imitate: those that succeeded, or those with a return above returnAbove',
  },
  returnAbove: {
    type: 'number',
    default: null,
    description: 'Minimum return (exclusive) of an episode to imitate, with keep: return',
  },
  perTask: {
    type: 'integer',
    minimum: 1,
    default: null,
    description:
      'Maximum number of episodes to imitate in a group, those with the highest returns; unset: all that qualify',
  },
  distinct: {
    type: 'boolean',
    default: true,
    description: 'Of several episodes of a group with the same sampled tokens, imitate only one',
  },
  refillRounds: {
    type: 'integer',
    minimum: 0,
    default: 0,
    description:
      'Maximum number of extra rounds of tasks that a step may play to replace groups without an episode to imitate',
  },
  kl: {
    group: 'kl',
    change: {
      klCoefficient: {
        description: 'Weight in the loss of the KL divergence from the policy at the start of training',
      },
      klEstimator: {
        choices: ['abs', 'k2', 'k3', 'k3-straight-through'],
        description: 'Estimator of the KL divergence on an imitated token',
      },
      klHorizon: { description: 'Number of imitated episodes over which klCoefficient adapts to klTarget' },
    },
    // A penalty in the rewards would come after episodes are chosen, and nothing reads rewards after that.
    without: ['klIn'],
  },
  entropyCoefficient: { group: 'entropy' },
  aggregation: { group: 'aggregation', without: ['countEmpty'] },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/** Options that contradict each other, and options without effect because of others or the recipe's `groupSize`. */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const findings: AlgorithmFinding[] = [...checks.kl(chosen), ...checks.aggregation(chosen)];
  const idle = (...finding: Parameters<OptionChecks['idle']>): void => void findings.push(checks.idle(...finding));
  if (chosen.keep === 'success' && chosen.returnAbove !== null) {
    idle('returnAbove', 'with keep: success', 'Remove returnAbove, or set keep: return.');
  }
  if (chosen.keep === 'return' && chosen.returnAbove === null) {
    findings.push({
      path: ['keep'],
      message: 'keep: return needs returnAbove, the return that an episode must exceed',
      hint: 'Set returnAbove, or keep: success.',
    });
  }
  if (chosen.perTask !== null && chosen.perTask >= settings.groupSize) {
    const beside = `with algorithm.groupSize: ${settings.groupSize}: a group has no more episodes`;
    idle('perTask', beside, 'Remove perTask, or raise algorithm.groupSize.');
  }
  if (settings.groupSize === 1) {
    idle('distinct', 'with algorithm.groupSize: 1', 'Remove distinct, or raise algorithm.groupSize.');
  } else if (chosen.perTask === 1) {
    idle('distinct', 'with perTask: 1: only one episode is left', 'Remove distinct, or raise perTask.');
  }
  return findings;
}
