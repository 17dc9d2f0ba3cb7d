// Results are told in blocks. Terminal, Markdown and the page print the same blocks.
import type { ReportStatus } from '../report-data.js';
import { reservationWord, type Reservation } from '../reservations.js';

/** A part of what is told. In every text, words between backticks are code. */
export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  /** `isQuiet`: it explains the block before it. */
  | { readonly kind: 'paragraph'; readonly text: string; readonly isQuiet?: boolean }
  | { readonly kind: 'list'; readonly items: readonly string[]; readonly isNumbered?: boolean }
  /** Names with their values. A value that is code as a whole is a command to copy. */
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  /** Success over the steps of a run, which only a terminal draws; the page has charts. */
  | { readonly kind: 'curve'; readonly points: readonly CurvePoint[]; readonly reference?: CurveReference }
  /** Blocks that a page shows on demand. */
  | { readonly kind: 'folded'; readonly title: string; readonly blocks: readonly Block[] }
  | BlockTable;

export type Fact = readonly [name: string, value: string];

/** A success rate at a step of the run. */
export interface CurvePoint {
  readonly step: number;
  /** In [0, 1]. */
  readonly value: number;
}

interface CurveReference {
  readonly name: string;
  readonly value: number;
}

export interface BlockTable {
  readonly kind: 'table';
  /** What it shows, for readers who cannot see it. */
  readonly caption: string;
  readonly columns: readonly BlockColumn[];
  readonly rows: readonly BlockRow[];
}

export interface BlockColumn {
  readonly title: string;
  /** `bar` is drawn by the page alone; its numbers are in other columns. */
  readonly kind: 'text' | 'number' | 'bar';
  /** A narrow terminal leaves out the columns with the highest rank first; those without a rank stay. */
  readonly rank?: number | undefined;
  /** Says how far a row can be believed, so a terminal without room for it tells it below the table. */
  readonly isCaveat?: boolean | undefined;
}

export interface BlockRow {
  /** One for each column. */
  readonly cells: readonly BlockCell[];
  /** Whether the table is about this row. */
  readonly isAbout?: boolean;
}

export type BlockCell = string | TextCell | IntervalBar;

interface TextCell {
  readonly text: string;
  readonly isStrong?: boolean;
  /** Why the interval in the text is unreliable. */
  readonly reservation?: Reservation | undefined;
  /** The interval of the number in the text. */
  readonly interval?: string;
  /** Whether it is the cell of a matrix that belongs to its row: bold, framed, or with a star. */
  readonly isOwn?: boolean;
  /** What only a page has room for. */
  readonly page?: {
    readonly status?: ReportStatus;
    readonly remarks?: readonly string[];
    readonly links?: readonly { readonly text: string; readonly address: string; readonly label: string }[];
    /** A share in [0, 1] that colours the cell. */
    readonly shade?: number;
  };
}

/** An estimate on its interval. */
export interface IntervalBar {
  readonly from: number;
  readonly to: number;
  readonly middle: number;
  readonly low: number | null;
  readonly high: number | null;
  /** Single values behind the mean, such as seeds. */
  readonly ticks?: readonly number[];
  /** The value that means no difference. */
  readonly zero?: number;
}

/** A column with the function that makes its cells. */
export interface CellColumn<Row> extends BlockColumn {
  readonly cell: (row: Row) => BlockCell;
}

export function textColumn<Row>(title: string, cell: (row: Row) => BlockCell): CellColumn<Row> {
  return { title, kind: 'text', cell };
}

export function numberColumn<Row>(
  title: string,
  cell: (row: Row) => BlockCell,
  { rank, isCaveat }: Pick<BlockColumn, 'rank' | 'isCaveat'> = {},
): CellColumn<Row> {
  return { title, kind: 'number', rank, isCaveat, cell };
}

/** A table from functions of its rows, without columns that are not wanted. */
export function tableOf<Row>(
  caption: string,
  columns: readonly (false | CellColumn<Row>)[],
  rows: readonly Row[],
  isAbout: (row: Row) => boolean = () => false,
): BlockTable {
  const wanted = columns.filter((column) => column !== false);
  return {
    kind: 'table',
    caption,
    columns: wanted.map(({ cell: _, ...column }) => column),
    rows: rows.map((row) => ({ cells: wanted.map(({ cell }) => cell(row)), isAbout: isAbout(row) })),
  };
}

export function heading(text: string): Block {
  return { kind: 'heading', text };
}

export function paragraph(text: string): Block {
  return { kind: 'paragraph', text };
}

/** An explanation of the block before it; none without text. */
export function explanation(...sentences: readonly string[]): Block[] {
  const text = sentences.filter((sentence) => sentence !== '').join(' ');
  return text === '' ? [] : [{ kind: 'paragraph', text, isQuiet: true }];
}

export function facts(...found: readonly (readonly [name: string, value: string | undefined])[]): Block {
  return {
    kind: 'facts',
    facts: found.flatMap(([name, value]): Fact[] => (value === undefined ? [] : [[name, value]])),
  };
}

/** The text of a cell where there are no lines below each other; empty for a bar. */
export function cellText(cell: BlockCell): string {
  if (typeof cell === 'string') return cell;
  if (!('text' in cell)) return '';
  const { text, interval, reservation } = cell;
  const mark = reservation === undefined ? '' : `, ${reservationWord(reservation)}`;
  return `${text}${interval === undefined ? '' : ` (${interval})`}${mark}`;
}
