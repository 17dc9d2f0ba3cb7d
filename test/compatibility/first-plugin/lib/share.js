/** What solves the task earns 1, milestones on the way share 0.4. */
export function create() {
  return {
    density: 'turn',
    score({ facts, previous }) {
      const { reached, total } = facts.milestones ?? { reached: 0, total: 0 };
      const gained = total > 0 ? (reached - (previous?.milestones?.reached ?? 0)) / total : 0;
      return 0.4 * gained + (facts.success && previous?.success !== true ? 1 : 0);
    },
    bounds({ horizon, discount = 1 }) {
      return { success: [discount ** Math.max(0, horizon - 1), 1.4], failure: [0, 0.4] };
    },
  };
}
