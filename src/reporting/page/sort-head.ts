import { breakable, type Column } from './data-table.js';
import { element, isSameList } from './element.js';
import { sortRows } from './sort-rows.js';

/** A column by which rows can be sorted. */
export interface SortableColumn<Row> extends Column<Row> {
  /** Absent: rows cannot be sorted by it. */
  readonly value?: (row: Row) => number | string | null;
  /** Order of the first click: the best or the largest value on top. */
  readonly first?: 'ascending' | 'descending';
}

type Order = { readonly title: string; readonly direction: 'ascending' | 'descending' };

/** Titles that sort a table by click or by key. `given` names the original order of the rows. */
export function sortHead<Row>(given: string, onSort: () => void) {
  let columns: readonly SortableColumn<Row>[] = [];
  let order: Order | undefined;
  const node = element('tr');
  const choose = () => {
    const [, direction, title] = /^(\S+) (.*)$/.exec(menu.value) ?? [];
    take(title === undefined ? undefined : { title, direction: direction as Order['direction'] });
  };
  const menu = element('select', { 'aria-label': 'Sort by', onchange: choose });
  const field = element('label.sort-by', 'sort by ', menu);
  const take = (chosen: Order | undefined) => {
    order = chosen;
    mark();
    onSort();
  };
  const mark = () => {
    for (const cell of node.children) {
      const direction = cell.textContent === order?.title ? order.direction : 'none';
      if (cell.querySelector('button') !== null) cell.setAttribute('aria-sort', direction);
    }
    menu.value = order === undefined ? '' : `${order.direction} ${order.title}`;
  };
  return {
    /** The row of titles, each a button. */
    node,
    /** The same as a menu, because cards have no titles above them. */
    menu: field,
    /** Replaces the columns. The order stays if its column does. */
    update(wanted: readonly SortableColumn<Row>[]) {
      const titles = (of: readonly SortableColumn<Row>[]) => of.map(({ title }) => title);
      const isSame = isSameList(titles(wanted), titles(columns));
      columns = wanted;
      if (isSame) return;
      node.replaceChildren(
        ...wanted.map(({ title, className, value, first = 'ascending' }) => {
          if (value === undefined) return element('th', { scope: 'col', class: className }, ...breakable(title));
          const onclick = () => {
            const isAgain = order?.title === title && order.direction === first;
            const other = first === 'ascending' ? 'descending' : 'ascending';
            take({ title, direction: isAgain ? other : first });
          };
          const attributes = { type: 'button', title: `Sort by ${title}`, onclick };
          const button = element('button.sort', attributes, ...breakable(title));
          return element('th', { scope: 'col', class: className }, button);
        }),
      );
      const offered = wanted.flatMap(({ title, value }) =>
        value === undefined
          ? []
          : (['ascending', 'descending'] as const).map((direction) =>
              element('option', { value: `${direction} ${title}` }, `${title}, ${direction}`),
            ),
      );
      menu.replaceChildren(element('option', { value: '' }, given), ...offered);
      if (!wanted.some(({ title }) => title === order?.title)) order = undefined;
      mark();
    },
    sort(rows: readonly Row[]): readonly Row[] {
      const value = columns.find(({ title }) => title === order?.title)?.value;
      return order === undefined || value === undefined ? rows : sortRows(rows, value, order.direction);
    },
  };
}
