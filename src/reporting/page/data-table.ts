import { element } from './element.js';

/** A column of a table; its cells are text or nodes. */
export interface Column<Row> {
  readonly title: string;
  readonly className?: 'text' | 'bar' | undefined;
  readonly cell: (row: Row) => string | HTMLElement;
}

/** A table whose rows become cards where it does not fit (fit-tables.ts): each cell has its column's title. */
export function dataTable<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  emphasis: (row: Row) => boolean = () => false,
): HTMLElement {
  const head = element(
    'tr',
    ...columns.map(({ title, className }) => element('th', { scope: 'col', class: className }, ...breakable(title))),
  );
  const body = rows.map((row) =>
    element('tr', { class: emphasis(row) ? 'emphasis' : undefined }, ...tableCells(columns, row)),
  );
  return tableFrame(caption, head, element('tbody', ...body));
}

/** A table with its one row of titles. */
export function tableFrame(caption: string, head: HTMLElement, body: HTMLElement): HTMLTableElement {
  return element('table', element('caption.hidden', caption), element('thead', head), body);
}

/** The cells of a row; the first cell is its header. */
export function tableCells<Row>(columns: readonly Column<Row>[], row: Row): HTMLElement[] {
  return columns.map(({ title, className, cell }, i) =>
    i === 0
      ? element('th', { scope: 'row', class: className }, cell(row))
      : element('td', { class: className, 'data-title': breakableText(title) }, cell(row)),
  );
}

const breaks = /(?<=\.)|(?<=[a-z])(?=[A-Z])/;

/** Allows a key to break after its dots and before its capitals. */
export function breakable(title: string): (string | HTMLElement)[] {
  return title.split(breaks).flatMap((part, i) => (i === 0 ? [part] : [element('wbr'), part]));
}

/** The same for attributes, which cannot contain elements: a zero-width space at each break. */
function breakableText(title: string): string {
  return title.split(breaks).join('\u200b');
}
