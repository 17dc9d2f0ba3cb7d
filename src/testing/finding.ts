/** What a conformance kit found: one thing that is wrong, why it matters, and how to mend it. */
export interface Finding {
  /** The check that found it, such as `splits-disjoint`. */
  readonly id: string;
  /** `error`: training or evaluation would be wrong; `warning`: probably not what was meant. */
  readonly severity: 'error' | 'warning';
  /** What is wrong, with the place: task, turn, action. */
  readonly message: string;
  readonly likelyCause: string;
  /** What goes wrong in a run where this is left as it is. */
  readonly why: string;
  readonly cure: string;
}
