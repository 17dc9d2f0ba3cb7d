/** The bytes are not a story that can be played. The message says what is wrong with them. */
export class StoryError extends Error {
  override name = 'StoryError';
}

/** A game cannot go on: the story's code is broken, or it exceeded a limit. Ends the game, not the process. */
export class StoryFailure extends Error {
  override name = 'StoryFailure';
}
