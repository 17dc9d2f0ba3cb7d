// Success apart by labels of tasks, in the terminal, in Markdown and on the page alike.

/** A player's evaluation, as far as tables by label read it. */
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

/** A player on the tasks of one value. */
export interface LabelRow<Success> {
  readonly value: string;
  readonly name: string;
  readonly tasks: number;
  readonly success: Success;
  readonly emphasis: boolean;
}

/**
 * Tables of players by the values of each label: the players of a value are together, in their order. Empty if no task
 * has labels.
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
