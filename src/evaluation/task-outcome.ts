/** Labels by which tables are split, by axis: the type of a task, its difficulty. */
export type TaskLabels = { readonly [axis: string]: string | number };

/** The results of the attempts at one task, without failed ones. */
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
