/** The draft of a level is thrown away, and the next draws make another. */
export class RejectedLevel extends Error {}

/** The generator would never end, as the original does not either. */
export class EndlessLevelError extends Error {
  constructor(message = 'no place for the agent has a free cell or a wall ahead') {
    super(message);
  }
}
