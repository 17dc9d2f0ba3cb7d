/** What tables are split by, by axis: the type of a task, its difficulty. */
export type TaskLabels = { readonly [axis: string]: string | number };

/** What came of the attempts at one task; failed ones are not among them. */
export interface TaskOutcome {
  readonly task: string;
  readonly cluster?: string;
  readonly labels?: TaskLabels;
  readonly attempts: readonly {
    readonly success: boolean;
    readonly return: number;
    readonly turns: number;
    readonly truncated: boolean;
  }[];
}
