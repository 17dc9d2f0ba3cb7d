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

/** Players on the tasks with each value of a label. */
export interface LabelTable<Success> {
  readonly axis: string;
  readonly rows: readonly LabelRow<Success>[];
  /** Every view shows the whole table, however few or many rows it has. */
  readonly isAlwaysShown: boolean;
}

/** The label that tells tasks seen in training from unseen ones. A result on seen tasks alone would mislead. */
const alwaysShown = 'training';

/**
 * Tables of players by the values of each label. Rows of the same value are together, in the order of the players.
 * Empty if no task has labels.
 */
export function labelTables<Success>(players: readonly LabelledPlayer<Success>[]): LabelTable<Success>[] {
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
    return { axis, rows, isAlwaysShown: axis === alwaysShown };
  });
}

/** A value with fewer tasks has an interval that says nothing. */
export const fewestTasks = 10;
/** More values than this would hide the result above them. */
const mostValues = 6;
/** Of more values, only so many are shown. */
const shownValues = 3;

/** The rows of a table for a narrow place, and what is left out. */
export interface TellingRows<Success> {
  readonly rows: readonly LabelRow<Success>[];
  /** Whether these are the values with the lowest success, because there are many. */
  readonly areLowest: boolean;
  /** Number of values without rows: of few tasks, and others. */
  readonly small: number;
  readonly others: number;
}

/**
 * The rows of values with enough tasks. Of many values, those with the lowest success of the player that the table is
 * about, because they show what is still to be learnt.
 */
export function tellingRows<Success extends { readonly rate: number }>({
  rows,
  isAlwaysShown,
}: LabelTable<Success>): TellingRows<Success> {
  if (isAlwaysShown) return { rows, areLowest: false, small: 0, others: 0 };
  const values = [...new Set(rows.map(({ value }) => value))];
  const of = (value: string) => rows.filter((row) => row.value === value);
  const large = values.filter((value) => of(value).some(({ tasks }) => tasks >= fewestTasks));
  const rate = (value: string) => (of(value).find(({ emphasis }) => emphasis) ?? of(value)[0])?.success.rate ?? 0;
  const areLowest = large.length > mostValues;
  const lowest = areLowest ? [...large].sort((a, b) => rate(a) - rate(b)).slice(0, shownValues) : large;
  return {
    rows: rows.filter(({ value }) => lowest.includes(value)),
    areLowest,
    small: values.length - large.length,
    others: large.length - lowest.length,
  };
}
