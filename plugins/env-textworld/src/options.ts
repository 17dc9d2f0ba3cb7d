import type { GroupedOptions, OptionFinding, OptionsOf } from '@agentgym/cli';

export const options = {
  game: {
    type: 'choice',
    choices: ['custom', 'simple', 'coin-collector', 'treasure-hunter', 'cooking', 'files'],
    default: 'custom',
    description: 'Generator of the games; files: games in a folder',
  },
  rooms: {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 2,
    description: 'custom: rooms of the world',
    axis: true,
    levels: [2, 4, 8],
  },
  objects: {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 3,
    description: 'custom: least number of things; what the quest does not need are distractors',
    axis: true,
    levels: [3, 6, 12],
  },
  questLength: {
    type: 'integer',
    minimum: 1,
    maximum: 30,
    default: 4,
    description: 'custom: commands of the quest',
    axis: true,
    levels: [2, 4, 8],
  },
  instructions: {
    type: 'choice',
    choices: ['steps', 'last'],
    default: 'steps',
    description: 'custom, coin-collector, treasure-hunter: the objective tells every step, or only the last one',
  },
  rewards: {
    type: 'choice',
    choices: ['dense', 'balanced', 'sparse'],
    default: 'dense',
    description: 'simple: how many steps of the task score a point',
  },
  goal: {
    type: 'choice',
    choices: ['detailed', 'brief', 'none'],
    default: 'detailed',
    description: 'simple: what the objective tells',
  },
  level: {
    type: 'integer',
    minimum: 1,
    maximum: 300,
    default: 1,
    description: 'coin-collector (1 to 300), treasure-hunter (1 to 30): difficulty',
    axis: true,
    levels: [1, 5, 10],
  },
  recipe: {
    type: 'integer',
    minimum: 1,
    maximum: 5,
    default: 1,
    description: 'cooking: ingredients of the recipe',
    axis: true,
    levels: [1, 2, 3],
  },
  take: {
    type: 'integer',
    minimum: 0,
    maximum: 5,
    default: 0,
    description: 'cooking: ingredients that must be found; the player holds the others at the start',
    axis: true,
  },
  go: {
    type: 'integer',
    minimum: 1,
    maximum: 12,
    default: 1,
    description: 'cooking: number of places (1, 6, 9 or 12)',
    axis: true,
    levels: [1, 6, 9, 12],
  },
  open: { type: 'boolean', default: false, description: 'cooking: containers and doors are closed', axis: true },
  cook: { type: 'boolean', default: false, description: 'cooking: ingredients must be cooked', axis: true },
  cut: { type: 'boolean', default: false, description: 'cooking: ingredients must be cut', axis: true },
  drop: { type: 'boolean', default: false, description: 'cooking: the player can carry few things', axis: true },
  foods: {
    type: 'choice',
    choices: ['all', 'split'],
    default: 'all',
    description: 'cooking: held-out tasks use the same foods, or foods and preparations that no training task has',
  },
  games: {
    type: 'string',
    default: null,
    description: 'files: folder with games (.json, .z8), or with folders train, validation and test of them',
  },
  play: {
    type: 'choice',
    choices: ['engine', 'story'],
    default: 'engine',
    description: 'files: what plays a game that has both a .json and a story; the story is a thousand times slower',
  },
  splits: {
    type: 'choice',
    choices: ['auto', 'structure', 'seeds'],
    default: 'auto',
    description:
      "How generated tasks are assigned to splits. structure: by quest and map, so that held-out tasks are new puzzles; seeds: by seed, as in the Practitioner's Guide; auto: seeds for simple and coin-collector, which have too few puzzles to hold some out, structure for the others",
  },
  compat: {
    type: 'choice',
    choices: ['corrected', 'textworld'],
    default: 'corrected',
    description: 'textworld: behave as the original also where it is wrong',
  },
  view: { group: 'view' },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/** Options that have an effect for one kind of games only. */
const belongsTo: { readonly [name in keyof Options]?: readonly Options['game'][] } = {
  rooms: ['custom'],
  objects: ['custom'],
  questLength: ['custom'],
  instructions: ['custom', 'coin-collector', 'treasure-hunter'],
  rewards: ['simple'],
  goal: ['simple'],
  level: ['coin-collector', 'treasure-hunter'],
  recipe: ['cooking'],
  take: ['cooking'],
  go: ['cooking'],
  open: ['cooking'],
  cook: ['cooking'],
  cut: ['cooking'],
  drop: ['cooking'],
  foods: ['cooking'],
  games: ['files'],
  play: ['files'],
  splits: ['custom', 'simple', 'coin-collector', 'treasure-hunter', 'cooking'],
};

/** Checks that the declaration cannot express. */
export function validate(given: Options): readonly OptionFinding[] {
  const findings: OptionFinding[] = [];
  for (const [name, games] of Object.entries(belongsTo)) {
    if (games.includes(given.game)) continue;
    findings.push({
      path: [name],
      message: `${name} has no effect with game: ${given.game}`,
      hint: `Remove ${name}, or write game: ${games.join(' or ')}.`,
      idle: true,
    });
  }
  if (given.game === 'treasure-hunter' && given.level > 30) {
    findings.push({
      path: ['level'],
      message: 'treasure-hunter has the levels 1 to 30',
      hint: 'Write level: 30 or less.',
    });
  }
  if (given.game === 'cooking' && given.take > given.recipe) {
    findings.push({
      path: ['take'],
      message: `take: ${given.take} is more than the recipe's ${given.recipe} ingredients`,
      hint: `Write take: ${given.recipe} or less, or a larger recipe.`,
    });
  }
  if (given.game === 'cooking' && ![1, 6, 9, 12].includes(given.go)) {
    findings.push({
      path: ['go'],
      message: `cooking games have 1, 6, 9 or 12 places, not ${given.go}`,
      hint: 'Write go: 6, for example.',
    });
  }
  if (given.game === 'files' && (given.games ?? '') === '') {
    findings.push({ path: ['games'], message: 'game: files needs a folder', hint: 'Write games: FOLDER.' });
  }
  return findings;
}
