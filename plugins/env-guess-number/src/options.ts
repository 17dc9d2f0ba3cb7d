import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  lowest: { type: 'integer', minimum: 0, default: 1, description: 'The lowest number' },
  highest: { type: 'integer', minimum: 1, default: 50, description: 'The highest number' },
  width: {
    type: 'integers',
    minimum: 2,
    length: 2,
    default: [20, 31],
    description: "Smallest and largest count of numbers in a game's interval",
    axis: true,
    levels: [
      [10, 15],
      [20, 31],
      [40, 50],
    ],
  },
  turns: {
    type: 'integer',
    minimum: 1,
    default: null,
    description: 'Number of allowed guesses; unset: as many as bisection needs at worst',
    axis: true,
  },
  reply: {
    type: 'choice',
    choices: ['interval', 'direction'],
    default: 'interval',
    description: 'Whether a reply names the remaining interval, or only the direction',
    axis: true,
    levels: ['interval', 'direction'],
  },
  answer: {
    type: 'choice',
    choices: ['number', 'working'],
    default: 'number',
    description:
      'Form of an action: a number, or the remaining interval and a number: `from 4 to 33, 30 left, guess 18`',
  },
  instructions: {
    type: 'choice',
    choices: ['rule', 'none'],
    default: 'rule',
    description:
      'Whether the system prompt tells the rule; `none` is for a model from scratch, which learns it from play and demonstrations',
  },
  splitBy: {
    type: 'choice',
    choices: ['interval', 'task'],
    default: 'interval',
    description: 'Hold out whole intervals, or single numbers of the training intervals',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

/** Reports numbers, intervals and splits that do not fit together. */
export function validate({ lowest, highest, width, splitBy }: Options): readonly OptionFinding[] {
  const [narrowest = 0, widest = 0] = width;
  const available = highest - lowest + 1;
  if (narrowest > widest) {
    return [
      {
        path: ['width'],
        message: `the smallest width (${narrowest}) is above the largest (${widest})`,
        hint: `Write [${widest}, ${narrowest}].`,
      },
    ];
  }
  if (widest > available) {
    return [
      {
        path: ['width'],
        message: `an interval of ${widest} numbers does not fit between ${lowest} and ${highest}`,
        hint: `Raise highest to ${lowest + widest - 1}, or lower the largest width to ${available}.`,
      },
    ];
  }
  let intervals = 0;
  for (let count = narrowest; count <= widest; count += 1) intervals += available - count + 1;
  if (splitBy === 'interval' && intervals < MINIMUM_INTERVALS) {
    return [
      {
        path: ['splitBy'],
        message: `${intervals} intervals are too few to hold out whole intervals`,
        hint: 'Write splitBy: task, or allow more widths.',
      },
    ];
  }
  return [];
}

/** With fewer intervals, a fifth of them would be rounded down to 0. */
const MINIMUM_INTERVALS = 5;
