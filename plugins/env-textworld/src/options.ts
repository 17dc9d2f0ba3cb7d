import type { GroupedOptions, OptionDeclaration, OptionFinding, OptionsOf } from '@agentgym/cli';

const instructions = {
  type: 'choice',
  choices: ['steps', 'last'],
  default: 'steps',
  description: 'The objective tells every step, or only the last one',
} as const satisfies OptionDeclaration;

const level = {
  type: 'integer',
  minimum: 1,
  maximum: 30,
  default: 1,
  description: 'Difficulty',
  axis: true,
  levels: [1, 5, 10],
} as const satisfies OptionDeclaration;

const splits = {
  type: 'choice',
  choices: ['structure', 'seeds'],
  default: 'structure',
  description:
    "How tasks are assigned to splits. structure: by quest and map, so that held-out tasks are new puzzles; seeds: by seed, as in the Practitioner's Guide",
} as const satisfies OptionDeclaration;

const compat = {
  type: 'choice',
  choices: ['corrected', 'textworld'],
  default: 'corrected',
  description: 'textworld: behave as the original also where it is wrong',
} as const satisfies OptionDeclaration;

/** What all worlds have. */
const shared = { compat, view: { group: 'view' } } as const satisfies GroupedOptions;

/** The options of each kind of games. */
export const options = {
  custom: {
    rooms: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 2,
      description: 'Rooms of the world',
      axis: true,
      levels: [2, 4, 8],
    },
    objects: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 3,
      description: 'Least number of things; what the quest does not need are distractors',
      axis: true,
      levels: [3, 6, 12],
    },
    questLength: {
      type: 'integer',
      minimum: 1,
      maximum: 30,
      default: 4,
      description: 'Commands of the quest',
      axis: true,
      levels: [2, 4, 8],
    },
    instructions,
    splits,
    ...shared,
  },
  simple: {
    rewards: {
      type: 'choice',
      choices: ['dense', 'balanced', 'sparse'],
      default: 'dense',
      description: 'How many steps of the task score a point',
    },
    goal: {
      type: 'choice',
      choices: ['detailed', 'brief', 'none'],
      default: 'detailed',
      description: 'What the objective tells',
    },
    ...shared,
  },
  'coin-collector': {
    level: { ...level, maximum: 300 },
    instructions,
    splits: { ...splits, default: 'seeds' },
    ...shared,
  },
  'treasure-hunter': { level, instructions, splits, ...shared },
  cooking: {
    recipe: {
      type: 'integer',
      minimum: 1,
      maximum: 5,
      default: 1,
      description: 'Ingredients of the recipe',
      axis: true,
      levels: [1, 2, 3],
    },
    take: {
      type: 'integer',
      minimum: 0,
      maximum: 5,
      default: 0,
      description: 'Ingredients that must be found; the player holds the others at the start',
      axis: true,
    },
    go: {
      type: 'integer',
      minimum: 1,
      maximum: 12,
      default: 1,
      description: 'Number of places (1, 6, 9 or 12)',
      axis: true,
      levels: [1, 6, 9, 12],
    },
    open: { type: 'boolean', default: false, description: 'Containers and doors are closed', axis: true },
    cook: { type: 'boolean', default: false, description: 'Ingredients must be cooked', axis: true },
    cut: { type: 'boolean', default: false, description: 'Ingredients must be cut', axis: true },
    drop: { type: 'boolean', default: false, description: 'The player can carry few things', axis: true },
    foods: {
      type: 'choice',
      choices: ['all', 'split'],
      default: 'all',
      description: 'Held-out tasks use the same foods, or foods and preparations that no training task has',
    },
    splits,
    ...shared,
  },
  files: {
    games: {
      type: 'string',
      default: null,
      description: 'Folder with games (.json, .z8), or with folders train, validation and test of them',
    },
    play: {
      type: 'choice',
      choices: ['engine', 'story'],
      default: 'engine',
      description: 'What plays a game that has both a .json and a story; the story is a thousand times slower',
    },
    ...shared,
  },
} as const satisfies Readonly<Record<string, GroupedOptions>>;

export type GameKind = keyof typeof options;
export type Options<Name extends GameKind = GameKind> = OptionsOf<(typeof options)[Name]>;

/** Levels of coin-collector with so few maps that no split of them has a game in each. */
const fewMaps: readonly number[] = [1, 2];

/** Checks that the declaration cannot express. */
export function validateCoins({ level, splits }: Options<'coin-collector'>): readonly OptionFinding[] {
  if (splits === 'seeds' || !fewMaps.includes(level)) return [];
  const message = `level ${level} has too few maps to hold some out by structure`;
  return [{ path: ['splits'], message, hint: 'Write splits: seeds, or level: 3 or more.' }];
}

export function validateCooking({ take, recipe, go }: Options<'cooking'>): readonly OptionFinding[] {
  const findings: OptionFinding[] = [];
  if (take > recipe) {
    findings.push({
      path: ['take'],
      message: `take: ${take} is more than the recipe's ${recipe} ingredients`,
      hint: `Write take: ${recipe} or less, or a larger recipe.`,
    });
  }
  if (![1, 6, 9, 12].includes(go)) {
    findings.push({
      path: ['go'],
      message: `cooking games have 1, 6, 9 or 12 places, not ${go}`,
      hint: 'Write go: 6, for example.',
    });
  }
  return findings;
}

export function validateFiles({ games }: Options<'files'>): readonly OptionFinding[] {
  if ((games ?? '') !== '') return [];
  return [{ path: ['games'], message: 'textworld-files needs a folder', hint: 'Write games: FOLDER.' }];
}
