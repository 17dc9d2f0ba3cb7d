import { count } from '../format-quantity.js';
import type { ReportEvaluation, ReportLabel } from '../report-data.js';
import { explanation, heading, numberColumn, tableOf, textColumn, type Block } from './block.js';
import { rateColumns } from './mean-columns.js';

/** A player, or a setting, and its success by each label of the tasks. */
export interface LabelledRow {
  readonly name: string;
  readonly evaluation: Pick<ReportEvaluation, 'labels'>;
  /** Whether it is what the table is about, or what this is compared with. */
  readonly isAbout?: boolean;
  readonly isReference?: boolean;
}

/** What is told by label: all; or what says something in little room: see `tellingRows`. */
export type LabelChoice = 'all' | 'telling';

/** A row of a table: success on the tasks with one value of a label. */
interface Row extends Pick<ReportLabel, 'tasks' | 'success'> {
  readonly value: string;
  readonly name: string;
  readonly isAbout: boolean;
}

/** The label that tells tasks seen in training from unseen ones. A result on seen tasks alone would mislead. */
const alwaysShown = 'training';
/** A value with fewer tasks has an interval that says nothing. */
const fewestTasks = 10;
/** More values than this would hide the result above them. */
const mostValues = 6;
/** Of more values, only so many are told. */
const toldValues = 3;
/** A longer table is folded, because readers need the content below it more often. */
const mostOpenRows = 12;

/**
 * A table for each label: rows of the same value are together, in the order of the players. Empty if no task has labels.
 *
 * @param who title of the column of names
 */
export function labelBlocks(all: readonly LabelledRow[], choice: LabelChoice, who: string, where = ''): Block[] {
  const isChosen = ({ isAbout, isReference }: LabelledRow) => isAbout === true || isReference === true;
  const players = choice === 'telling' && all.some(({ isAbout }) => isAbout) ? all.filter(isChosen) : all;
  const axes = new Set(players.flatMap(({ evaluation: { labels = {} } }) => Object.keys(labels)));
  return [...axes].flatMap((axis): Block[] => {
    const rows = rowsOf(players, axis);
    const values = new Set(rows.map(({ value }) => value)).size;
    const telling = tellingRows(rows, axis);
    const table = (told: readonly Row[]) => labelTable(told, axis, who, where);
    if (choice === 'telling')
      return [...(telling.rows.length === 0 ? [] : [table(telling.rows)]), ...explanation(leftOut(axis, telling))];
    const title = `Tasks by ${axis} (${values} ${values === 1 ? 'value' : 'values'})`;
    // Values of few tasks say little: the reader opens them on purpose.
    const isFolded = axis !== alwaysShown && (rows.length > mostOpenRows || telling.rows.length === 0);
    return isFolded ? [{ kind: 'folded', title, blocks: [table(rows)] }] : [heading(title), table(rows)];
  });
}

function rowsOf(players: readonly LabelledRow[], axis: string): Row[] {
  const values = new Set(
    players.flatMap(({ evaluation }) => evaluation.labels?.[axis]?.map(({ value }) => value) ?? []),
  );
  return [...values].flatMap((value) =>
    players.flatMap(({ name, evaluation, isAbout = false }) => {
      const own = evaluation.labels?.[axis]?.find((one) => one.value === value);
      return own === undefined ? [] : [{ value: String(value), name, tasks: own.tasks, success: own.success, isAbout }];
    }),
  );
}

function labelTable(rows: readonly Row[], axis: string, who: string, where: string): Block {
  return tableOf<Row>(
    `Success by ${axis}${where}`,
    [
      // A number alone says nothing.
      textColumn(axis, ({ value }) => (Number.isNaN(Number(value)) ? value : `${axis} ${value}`)),
      textColumn(who, ({ name }) => name),
      ...rateColumns<Row>(({ success }) => success),
      numberColumn('tasks', ({ tasks }) => count(tasks), { rank: 4 }),
    ],
    rows,
    ({ isAbout }) => isAbout,
  );
}

/**
 * The rows of values with enough tasks. Of many values, those with the lowest success of the player that the table is
 * about, because they show what is still to be learnt. `small` and `others`: the number of values without rows, of few
 * tasks and others.
 */
function tellingRows(rows: readonly Row[], axis: string) {
  if (axis === alwaysShown) return { rows, areLowest: false, small: 0, others: 0 };
  const values = [...new Set(rows.map(({ value }) => value))];
  const of = (value: string) => rows.filter((row) => row.value === value);
  const large = values.filter((value) => of(value).some(({ tasks }) => tasks >= fewestTasks));
  const rate = (value: string) => (of(value).find(({ isAbout }) => isAbout) ?? of(value)[0])?.success.rate ?? 0;
  const areLowest = large.length > mostValues;
  const lowest = areLowest ? [...large].sort((a, b) => rate(a) - rate(b)).slice(0, toldValues) : large;
  return {
    rows: rows.filter(({ value }) => lowest.includes(value)),
    areLowest,
    small: values.length - large.length,
    others: large.length - lowest.length,
  };
}

/** "The lowest of width; `--json` also has 9 other values and 2 values of fewer than 10 tasks." */
function leftOut(axis: string, { areLowest, small, others }: ReturnType<typeof tellingRows>): string {
  if (small + others === 0) return '';
  const values = (of: number) => (of === 1 ? 'value' : 'values');
  const more = [
    ...(others > 0 ? [`${others} other ${values(others)}`] : []),
    ...(small > 0 ? [`${small} ${values(small)} of fewer than ${fewestTasks} tasks`] : []),
  ].join(' and ');
  return `${areLowest ? `The lowest by ${axis}` : `By ${axis}`}: \`--json\` also has ${more}.`;
}
