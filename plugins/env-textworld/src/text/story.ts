import type { Game } from '../game/game.js';
import type { Corrections } from './corrections.js';
import type { Grammar } from './grammar.js';
import type { StoryRecipe } from './recipe.js';
import type { StoryObject } from './story-object.js';
import type { StoryQuest } from './story-quests.js';
import type { Vocabulary } from './vocabulary.js';
import type { StoryWorld } from './story-world.js';

/** What a compiled story knows of a game. */
export interface Story {
  readonly game: Game;
  readonly corrections: Corrections;
  readonly objects: readonly StoryObject[];
  /** Numbers of entities by id. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Numbers of the doors, in order. */
  readonly doors: readonly number[];
  readonly grammar: Grammar;
  /** The words of the grammar and those of this game's names. */
  readonly vocabulary: Vocabulary;
  readonly start: StoryWorld;
  readonly objective: string;
  readonly quests: readonly StoryQuest[];
  /** Infinite if a rewarded quest can be repeated. */
  readonly maximumScore: number;
  /** Whether it is a cooking game. */
  readonly cooks: boolean;
  readonly recipe: StoryRecipe | undefined;
  /** How many things the player can carry. */
  readonly capacity: number;
}
