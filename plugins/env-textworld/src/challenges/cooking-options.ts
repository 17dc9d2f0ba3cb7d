import { ChallengeError } from './challenge-error.js';
import type { Split } from './cooking-splits.js';

/** What a cooking game demands; each option adds a skill. */
export interface CookingOptions {
  /** Number of ingredients, 1 to 5. */
  readonly recipe: number;
  /** How many of them have to be found; the player starts with the others. */
  readonly take: number;
  /** Number of rooms: 1, 6, 9 or 12. */
  readonly go: number;
  /** Whether doors and containers are closed. */
  readonly open: boolean;
  /** Whether ingredients have to be cooked. */
  readonly cook: boolean;
  /** Whether ingredients have to be cut. */
  readonly cut: boolean;
  /** Whether the player can carry only a few things at a time. */
  readonly drop: boolean;
  /** If positive, it draws another recipe from the same world. It needs `take`. */
  readonly recipeSeed: number;
  /** Which foods and preparations may occur; all if empty. */
  readonly split: Split | '';
  /**
   * `textworld`: with `cut`, but without `cook`, a recipe may ask for food that cannot be cut if there is a BBQ, and
   * there is no game for such a seed, as in the original. `corrected`: no such food is on the menu.
   */
  readonly compat: 'textworld' | 'corrected';
}

/**
 * Checks the options of a cooking game.
 *
 * @throws ChallengeError if one is out of range or they exclude each other
 */
export function checkCookingOptions({ recipe, take, go, recipeSeed, split }: CookingOptions): void {
  if (!Number.isInteger(recipe) || recipe < 1 || recipe > 5) {
    throw new ChallengeError(`recipe must be 1, 2, 3, 4 or 5 ingredients, not ${recipe}.`);
  }
  if (!Number.isInteger(take) || take < 0 || take > recipe) {
    throw new ChallengeError(`take must be 0 to ${recipe}, the number of ingredients (recipe), not ${take}.`);
  }
  if (![1, 6, 9, 12].includes(go)) {
    throw new ChallengeError(`go must be 1, 6, 9 or 12 rooms, not ${go}.`);
  }
  if (!Number.isInteger(recipeSeed) || recipeSeed < 0 || recipeSeed >= 2 ** 32) {
    throw new ChallengeError(`recipeSeed must be a whole number from 0 to ${2 ** 32 - 1}, not ${recipeSeed}.`);
  }
  if (recipeSeed > 0 && take === 0) {
    throw new ChallengeError('recipeSeed draws another recipe from things to be found: it needs take of at least 1.');
  }
  if (!['', 'train', 'valid', 'test'].includes(split)) {
    throw new ChallengeError(`split must be train, valid, test or empty, not ${JSON.stringify(split)}.`);
  }
}
