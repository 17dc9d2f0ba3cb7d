import { cellText, type Block, type BlockCell, type BlockTable, type BlockColumn } from './blocks/block.js';
import { displayWidth, fitText, wrapText } from './display-text.js';
import { paint, type TerminalStyle } from './terminal-style.js';
import { trainingCurve } from './training-curve.js';

/** Blocks as lines for a terminal, with an empty line between those that do not belong together. */
export function terminalLines(blocks: readonly Block[], style: TerminalStyle): string[] {
  const lines: string[] = [];
  let before: Block | undefined;
  for (const block of blocks) {
    const own = linesOf(block, style);
    if (own.length === 0) continue;
    if (before !== undefined && !belongs(block, before)) lines.push('');
    lines.push(...own);
    before = block;
  }
  return lines;
}

function belongs(block: Block, before: Block): boolean {
  if (before.kind === 'heading' || (block.kind === 'paragraph' && block.isQuiet === true)) return true;
  return before.kind === 'paragraph' && (block.kind === 'facts' || block.kind === 'list');
}

function linesOf(block: Block, style: TerminalStyle): string[] {
  switch (block.kind) {
    case 'heading':
      return [paint(block.text, 'bold', style)];
    case 'paragraph': {
      const lines = wrapped(block.text, '', style);
      return block.isQuiet === true ? lines.map((line) => paint(line, 'dim', style)) : lines;
    }
    case 'list':
      return block.items.flatMap((item, i) => wrapped(item, block.isNumbered === true ? `${i + 1}. ` : '- ', style));
    case 'facts': {
      const widest = Math.max(...block.facts.map(([name]) => displayWidth(name)));
      return block.facts.flatMap(([name, value]) => {
        const head = `${fitText(name, widest)}  `;
        const code = codeOf(value);
        // A command stays on one line, so that it can be copied.
        return code === undefined ? wrapped(value, head, style) : [`${head}${paint(code, 'cyan', style)}`];
      });
    }
    case 'code':
      return block.text.split('\n').map((line) => `  ${line}`);
    case 'curve':
      return trainingCurve(block.points, style, block.reference);
    case 'folded':
      return terminalLines([{ kind: 'heading', text: block.title }, ...block.blocks], style);
    case 'table':
      return tableLines(block, style);
  }
}

/** A text in lines of the terminal, which begin below the first one's text. In a pipe it is one line. */
function wrapped(text: string, head: string, { width }: TerminalStyle): string[] {
  const room = width - displayWidth(head);
  const lines = Number.isFinite(room) && room > 0 ? wrapText(text, room) : [text];
  return lines.map((line, i) => `${i === 0 ? head : ' '.repeat(displayWidth(head))}${line}`);
}

/** The code of a text that is code as a whole. */
function codeOf(text: string): string | undefined {
  return /^`([^`]+)`$/.exec(text)?.[1];
}

/** A column with what it shows. */
interface Shown {
  readonly column: BlockColumn;
  readonly title: string;
  readonly texts: readonly string[];
}

/**
 * A table with its columns side by side. Where there is no room, intervals behind numbers are left out, then columns by
 * their rank; if that is not enough, long titles of numbers are below the table.
 */
function tableLines(table: BlockTable, style: TerminalStyle): string[] {
  const isTooWide = (columns: readonly Shown[]) =>
    columns.reduce((sum, one) => sum + widthOf(one) + 2, -2) > style.width;
  const whole = shownColumns(table, true);
  let shown = isTooWide(whole) ? shownColumns(table, false) : whole;
  const caveats: Shown[] = [];
  while (isTooWide(shown)) {
    const last = shown.reduce(
      (most, one) => ((one.column.rank ?? 0) > (most?.column.rank ?? 0) ? one : most),
      shown[0],
    );
    if (last?.column.rank === undefined) break;
    shown = shown.filter((one) => one !== last);
    if (last.column.isCaveat === true) caveats.unshift(last);
  }
  const isNumbered = isTooWide(shown);
  const titled = shown.map((one, i) =>
    isNumbered && one.column.kind === 'number' && widthOf(one) > widthOf({ ...one, title: '' }) + 4
      ? { ...one, title: `[${i}]` }
      : one,
  );
  const below = [
    ...shown.flatMap(({ title }, i) => (titled[i]?.title === title ? [] : [`[${i}] ${title}`])),
    ...caveats.map(({ title, texts }) => {
      const told = texts.flatMap((text, i) => (['', '–'].includes(text) ? [] : [`${whole[0]?.texts[i]} ${text}`]));
      return `${title}: ${told.join(', ')}`;
    }),
  ];
  const line = (of: (one: Shown) => string) =>
    titled.map((one) => padded(of(one), one)).join('  ').trimEnd(); // prettier-ignore
  return [
    paint(line(({ title }) => title), 'dim', style), // prettier-ignore
    ...table.rows.map(({ isAbout }, row) => {
      const text = line(({ texts }) => texts[row] ?? '');
      return isAbout === true ? paint(text, 'bold', style) : text;
    }),
    ...below.map((text) => paint(text, 'dim', style)),
  ];
}

function shownColumns({ columns, rows }: BlockTable, hasIntervals: boolean): readonly Shown[] {
  return columns.flatMap((column, i): Shown[] => {
    if (column.kind === 'bar') return [];
    const texts = rows.map(({ cells }) => textOf(cells[i] ?? '', hasIntervals));
    return [{ column, title: codeOf(column.title) ?? column.title, texts }];
  });
}

function widthOf({ title, texts }: Shown): number {
  return Math.max(displayWidth(title), ...texts.map(displayWidth));
}

/** Numbers stand under each other. */
function padded(text: string, shown: Shown): string {
  const width = widthOf(shown);
  return shown.column.kind === 'number' ? ' '.repeat(width - displayWidth(text)) + text : fitText(text, width);
}

function textOf(cell: BlockCell, hasInterval: boolean): string {
  if (typeof cell === 'string' || !('text' in cell)) return codeOf(cellText(cell)) ?? cellText(cell);
  const { interval: _, ...rest } = cell;
  return `${cellText(hasInterval ? cell : rest)}${cell.isOwn === true ? ' *' : ''}`;
}
