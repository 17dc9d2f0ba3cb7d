/** The file of a game is not what it should be; the message names the place: `quests[1].reward: not a number`. */
export class GameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GameError';
  }
}
