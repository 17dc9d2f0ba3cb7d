import { displayWidth } from './display-text.js';

export interface MarkdownColumn {
  readonly title: string;
  /** Numbers are aligned to the right. */
  readonly align?: 'right';
}

/**
 * A GitHub Markdown table. Its columns are aligned in the source too, as prettier does it. Cells are Markdown already.
 */
export function markdownTable(columns: readonly MarkdownColumn[], rows: readonly (readonly string[])[]): string[] {
  const cells = [columns.map(({ title }) => title), ...rows].map((row) => row.map(asCell));
  const widths = columns.map((_, i) => Math.max(3, ...cells.map((row) => displayWidth(row[i] ?? ''))));
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`;
  const pad = (text: string, i: number) => {
    const spaces = ' '.repeat((widths[i] ?? 0) - displayWidth(text));
    return columns[i]?.align === 'right' ? spaces + text : text + spaces;
  };
  const rule = columns.map(({ align }, i) => {
    const width = widths[i] ?? 3;
    return align === 'right' ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width);
  });
  const [head = [], ...body] = cells.map((row) => columns.map((_, i) => pad(row[i] ?? '', i)));
  return [line(head), line(rule), ...body.map(line)];
}

/** Escapes text for Markdown: one line without markup, links or HTML. Text between backticks stays code. */
export function markdownText(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line
    .split(/(`[^`]+`)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll(/[\\`*_[\]<>]/g, '\\$&')))
    .join('');
}

/** A bar ends a cell of a table, even between backticks. */
function asCell(markdown: string): string {
  return markdown.replaceAll('|', '\\|');
}
