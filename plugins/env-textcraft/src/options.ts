import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  depths: {
    type: 'integers',
    minimum: 1,
    maximum: 4,
    default: [1, 2, 3, 4],
    description: 'Crafting depths of the goals',
    axis: true,
    levels: [[1], [1, 2], [1, 2, 3]],
  },
  longestPlan: {
    type: 'integer',
    minimum: 2,
    default: null,
    description: 'Only goals with an oracle plan of at most this many turns (the longest plan has 48)',
    axis: true,
  },
  distractors: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    default: 10,
    description: "Further commands to show; each uses an ingredient of the goal's commands, so there may be fewer",
    axis: true,
    levels: [0, 10, 30],
  },
  alternatives: {
    type: 'boolean',
    default: true,
    description: 'Show every recipe below the goal, not only those of the shortest plan',
    axis: true,
  },
  names: {
    type: 'choice',
    choices: ['spaced', 'joined'],
    default: 'spaced',
    description: 'Write items in words (`oak planks`) or as one word (`oak_planks`)',
  },
  renamed: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0,
    description:
      'Share of training tasks in which the items have swapped names; above 0 the training split is unbounded, and the other splits do not change',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

/** Checks that the declaration cannot express. */
export function validate({ depths }: Options): readonly OptionFinding[] {
  if (depths.length > 0) return [];
  return [
    {
      path: ['depths'],
      message: 'no depth is selected, so there is no task',
      hint: 'Write depths: [1, 2, 3, 4], or some of them.',
    },
  ];
}
