/** Why a command did nothing. */
export type Refusal =
  /** There is no command. */
  | 'empty'
  /** It begins with no verb. */
  | 'not a verb'
  /** It names something that is not here, or no thing at all. */
  | 'not visible'
  /** A question which of several things is meant; the next command may answer it. */
  | 'ambiguous'
  /** A question for what is missing; the next command may answer it. */
  | 'incomplete'
  /** It is understood in part or not at all. */
  | 'not understood'
  /** It is understood, but cannot be done. */
  | 'not possible'
  /** The game has ended. */
  | 'over';
