import type { Game } from '../game/game.js';
import type { Compat } from './compat.js';
import { StoryCompiler } from './compile-story.js';
import { correctionsOf } from './corrections.js';
import type { Story } from './story.js';

const stories: Readonly<Record<Compat, WeakMap<Game, Story>>> = {
  textworld: new WeakMap(),
  corrected: new WeakMap(),
};

/** The story of a game; the same one at every call. Throws `StoryTextError` for texts that no story could have. */
export function storyOf(game: Game, compat: Compat): Story {
  let story = stories[compat].get(game);
  if (story === undefined) {
    story = new StoryCompiler(game, correctionsOf(compat)).compile();
    stories[compat].set(game, story);
  }
  return story;
}
