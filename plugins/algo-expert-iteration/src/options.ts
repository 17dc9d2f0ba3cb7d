import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  keep: {
    type: 'choice',
    choices: ['success', 'return'],
    default: 'success',
    description: 'Which episodes are imitated: those that succeeded, or those with a return above returnAbove',
  },
  returnAbove: {
    type: 'number',
    default: null,
    description: 'Return above which an episode is imitated, with keep: return',
  },
  perTask: {
    type: 'integer',
    minimum: 1,
    default: null,
    description: 'Most episodes of a group that are imitated, those with the highest returns; unset: all that qualify',
  },
  distinct: {
    type: 'boolean',
    default: true,
    description: 'Of the episodes of a group whose sampled tokens are the same, one is imitated',
  },
  refillRounds: {
    type: 'integer',
    minimum: 0,
    default: 0,
    description: 'Rounds of further tasks that a step may play in the place of groups with nothing to imitate',
  },
  kl: {
    group: 'kl',
    change: {
      klCoefficient: {
        description: 'Weight, in the loss, of the divergence from the policy that training started from',
      },
      klEstimator: {
        choices: ['abs', 'k2', 'k3', 'k3-straight-through'],
        description: 'How the divergence is estimated on a token that is imitated',
      },
      klHorizon: { description: 'Imitated episodes over which the steering to klTarget takes effect' },
    },
    // A penalty in the rewards would come after episodes are chosen, and nothing reads rewards from then on.
    without: ['klIn'],
  },
  entropyCoefficient: { group: 'entropy' },
  aggregation: { group: 'aggregation', without: ['countEmpty'] },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/** Options that contradict each other, and those that are idle beside others or the recipe's `groupSize`. */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const findings: AlgorithmFinding[] = [...checks.kl(chosen), ...checks.aggregation(chosen)];
  const idle = (...finding: Parameters<OptionChecks['idle']>): void => void findings.push(checks.idle(...finding));
  if (chosen.keep === 'success' && chosen.returnAbove !== null) {
    idle('returnAbove', 'with keep: success', 'Remove returnAbove, or set keep: return.');
  }
  if (chosen.keep === 'return' && chosen.returnAbove === null) {
    findings.push({
      path: ['keep'],
      message: 'keep: return needs returnAbove, the return that an episode has to exceed',
      hint: 'Set returnAbove, or keep: success.',
    });
  }
  if (chosen.perTask !== null && chosen.perTask >= settings.groupSize) {
    const beside = `with algorithm.groupSize: ${settings.groupSize}: no group has more episodes than that`;
    idle('perTask', beside, 'Remove perTask, or raise algorithm.groupSize.');
  }
  if (settings.groupSize === 1) {
    idle('distinct', 'with algorithm.groupSize: 1', 'Remove distinct, or raise algorithm.groupSize.');
  } else if (chosen.perTask === 1) {
    idle('distinct', 'with perTask: 1: one episode is like no other', 'Remove distinct, or raise perTask.');
  }
  return findings;
}
