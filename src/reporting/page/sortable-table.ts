import { tableCells, tableFrame } from './data-table.js';
import { element } from './element.js';
import { fitTables } from './fit-tables.js';
import { sortHead, type SortableColumn } from './sort-head.js';

/** Rows that are shown at first; each click on the button doubles the number. */
const page = 8;

/**
 * A table whose titles sort it. A long table shows its first rows, and more on demand. `given` names the original order
 * of the rows.
 */
export function sortableTable<Row>(caption: string, given: string) {
  let columns: readonly SortableColumn<Row>[] = [];
  let rows: readonly Row[] = [];
  let length = page;
  const body = element('tbody');
  const more = element('button.quiet', {
    type: 'button',
    onclick: () => {
      length *= 2;
      draw();
    },
  });
  const draw = () => {
    const sorted = head.sort(rows).slice(0, length);
    body.replaceChildren(...sorted.map((row) => element('tr', ...tableCells(columns, row))));
    const left = rows.length - sorted.length;
    more.hidden = left <= 0;
    more.textContent = `Show ${Math.min(left, length)} more of ${rows.length.toLocaleString('en')}`;
    fitTables(node);
  };
  const head = sortHead<Row>(given, draw);
  const table = tableFrame(caption, head.node, body);
  table.classList.add('sortable');
  const node = element('div', head.menu, table, more);
  return {
    node,
    /** Replaces the rows; the order that the reader chose stays. */
    update(wanted: readonly SortableColumn<Row>[], found: readonly Row[]) {
      columns = wanted;
      rows = found;
      head.update(wanted);
      draw();
    },
  };
}
