import type { Block, BlockCell, Fact, BlockTable, BlockRow } from '../blocks/block.js';
import { reservationSentence, reservationWord } from '../reservations.js';
import { codeText } from './code-text.js';
import { commandLine } from './command-line.js';
import { element } from './element.js';
import { dataTable, type Column } from './data-table.js';
import { intervalBar } from './interval-bar.js';
import { section } from './section.js';
import { statusBadge } from './status-badge.js';

/** A section of blocks below a heading; undefined without blocks. */
export function blockSection(id: string, title: string, blocks: readonly Block[]): HTMLElement | undefined {
  if (blocks.length === 0) return undefined;
  return section(id, title, [], ...blocks.flatMap(elementsOf));
}

function elementsOf(block: Block): HTMLElement[] {
  switch (block.kind) {
    case 'heading':
      return [element('h3', block.text)];
    case 'paragraph':
      return [element('p', { class: block.isQuiet === true ? 'explain' : undefined }, ...codeText(block.text))];
    case 'list': {
      const items = block.items.map((item) => element('li', ...codeText(item)));
      return [element(block.isNumbered === true ? 'ol' : 'ul', ...items)];
    }
    case 'facts':
      return factElements(block.facts);
    case 'code':
      return [element('pre', element('code', block.text))];
    case 'curve':
      return [];
    case 'folded':
      return [element('details', element('summary', block.title), ...block.blocks.flatMap(elementsOf))];
    case 'table':
      return [tableElement(block)];
  }
}

/** A list of names and values, and the commands below it, which can be copied. */
function factElements(facts: readonly Fact[]): HTMLElement[] {
  const commandOf = ([, value]: Fact) => /^`([^`]+)`$/.exec(value)?.[1];
  const rows = facts
    .filter((fact) => commandOf(fact) === undefined)
    .map(([name, value]) => element('div', element('dt', name), element('dd', ...codeText(value))));
  return [
    ...(rows.length === 0 ? [] : [element('dl.facts-list.pairs', ...rows)]),
    ...facts.flatMap((fact) => {
      const command = commandOf(fact);
      return command === undefined ? [] : [commandLine(fact[0], command)];
    }),
  ];
}

function tableElement({ caption, columns, rows }: BlockTable): HTMLElement {
  const drawn = columns.map(({ title, kind }, i): Column<BlockRow> => ({
    title,
    className: kind === 'number' ? undefined : kind,
    cell: ({ cells }) => cellNode(cells[i] ?? ''),
  }));
  return dataTable(caption, drawn, rows, ({ isAbout }) => isAbout === true);
}

function cellNode(cell: BlockCell): HTMLElement | string {
  if (typeof cell === 'string') return cell;
  if (!('text' in cell)) return intervalBar(cell);
  const { text, isStrong, isOwn, interval, reservation, page: { status, remarks = [], links, shade } = {} } = cell;
  if (shade !== undefined) {
    const made = element('span.shaded', element('b', text), element('small', interval));
    made.classList.toggle('own', isOwn === true);
    made.style.setProperty('--share', String(shade));
    return made;
  }
  if (status !== undefined) {
    const told = remarks.map((remark) => element('p.remark', remark));
    return element('div', statusBadge(status, text), ...told);
  }
  if (links !== undefined) {
    const made = links.map(({ text: name, address, label }) =>
      element('a', { href: address, 'aria-label': label }, name),
    );
    return element('span.seed-links', `${text} `, ...made);
  }
  if (reservation !== undefined) {
    const mark = { class: 'mark fine', title: reservationSentence(reservation) };
    return element('span', text, element('small', mark, reservationWord(reservation)));
  }
  return isStrong === true ? element('b', text) : text;
}
