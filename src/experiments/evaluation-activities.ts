/** With these words, events tell that a part of the final evaluation begins. A pilot is measured by them. */
export const evaluationActivities = {
  final: 'final evaluation',
  /** Followed by the player. */
  baseline: 'playing the baseline',
} as const;
