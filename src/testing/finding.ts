/** A finding of a conformance kit: one problem, why it matters, and how to fix it. */
export interface Finding {
  /** Id of the check, such as `splits-disjoint`. */
  readonly id: string;
  /** `error`: training or evaluation would be wrong; `warning`: probably not intended. */
  readonly severity: 'error' | 'warning';
  /** The problem and its place: task, turn, action. */
  readonly message: string;
  readonly likelyCause: string;
  /** The consequence for a run if the problem is not fixed. */
  readonly why: string;
  readonly cure: string;
}
