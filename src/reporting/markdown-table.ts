import { displayWidth, visibleText } from './display-text.js';

export interface MarkdownColumn {
  readonly title: string;
  /** Numbers are aligned to the right. */
  readonly align?: 'right' | undefined;
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

/**
 * Escapes text for Markdown: one line without markup, links, HTML or control characters. Text between single backticks
 * stays code; Markdown pairs runs of backticks by their lengths, so longer runs are escaped.
 */
export function markdownText(text: string): string {
  return oneLine(text)
    .split(/((?<!`)`(?!`)[^`]+(?<!`)`(?!`))/)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll(/[\\`*_~[\]<>]/g, '\\$&')))
    .join('');
}

/** Any text as code within a line. */
export function markdownCode(text: string): string {
  const line = oneLine(text) || ' ';
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = /^`|`$/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Any text as a block of code, with a fence that none of its lines closes. */
export function markdownBlock(language: string, text: string): string[] {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [`${fence}${language}`, ...visibleText(text).split('\n'), fence];
}

function oneLine(text: string): string {
  return visibleText(text.replaceAll(/\s+/g, ' ').trim());
}

/** Length of the longest run of backticks. */
function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/** A bar ends a cell of a table, even between backticks. */
function asCell(markdown: string): string {
  return markdown.replaceAll('|', '\\|');
}
