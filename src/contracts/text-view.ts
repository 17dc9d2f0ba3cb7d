/**
 * How much an observation of a text world repeats: the options of the group `view`. What is not repeated, the agent
 * must remember from earlier observations.
 */
export interface TextView {
  /** `changes`: what the action did. `room`: also the surroundings and the inventory, every turn. */
  readonly observe: 'changes' | 'room';
  /** Whether each observation ends with a list of the legal actions. */
  readonly listActions: boolean;
}

/** What a text world can show after a turn. Functions are called only if the view needs them. */
export interface TextScene {
  /** The answer to the action; at the start, everything that the agent needs to begin. */
  readonly reply: string;
  /** Texts about the present state: the surroundings, the inventory. A text that the reply contains is not repeated. */
  surroundings(): readonly string[];
  /** The legal actions; none after the end of the episode. */
  actions(): readonly string[];
}
