/** With these words, events tell that an evaluation begins. What measures a run tells its parts apart by them. */
export const evaluationActivities = {
  start: 'evaluating the policy before reinforcement learning',
  final: 'final evaluation',
  /** Followed by the player. */
  baseline: 'playing the baseline',
} as const;
