// Success by task label, for the terminal, for Markdown and for the page.

/** The parts of a player's evaluation that tables by label need. */
interface LabelledPlayer<Success> {
  readonly name: string;
  readonly evaluation: {
    readonly labels?: {
      readonly [axis: string]: readonly {
        readonly value: string | number;
        readonly tasks: number;
        readonly success: Success;
      }[];
    };
  };
  readonly emphasis?: boolean;
}

/** A player on the tasks with one label value. */
export interface LabelRow<Success> {
  readonly value: string;
  readonly name: string;
  readonly tasks: number;
  readonly success: Success;
  readonly emphasis: boolean;
}

/**
 * Tables of players by the values of each label. Rows of the same value are together, in the order of the players.
 * Empty if no task has labels.
 */
export function labelTables<Success>(
  players: readonly LabelledPlayer<Success>[],
): { readonly axis: string; readonly rows: readonly LabelRow<Success>[] }[] {
  const axes = new Set(players.flatMap(({ evaluation: { labels = {} } }) => Object.keys(labels)));
  return [...axes].map((axis) => {
    const values = new Set(
      players.flatMap(({ evaluation }) => evaluation.labels?.[axis]?.map(({ value }) => value) ?? []),
    );
    const rows = [...values].flatMap((value) =>
      players.flatMap(({ name, evaluation, emphasis = false }) => {
        const own = evaluation.labels?.[axis]?.find((one) => one.value === value);
        if (own === undefined) return [];
        return [{ value: String(value), name, tasks: own.tasks, success: own.success, emphasis }];
      }),
    );
    return { axis, rows };
  });
}
