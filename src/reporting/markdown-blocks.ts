import { cellText, type Block, type BlockCell, type BlockTable } from './blocks/block.js';
import { markdownBlock, markdownTable, markdownText } from './markdown-table.js';

/** Blocks as lines of Markdown, with an empty line between them. `level`: of headings. */
export function markdownLines(blocks: readonly Block[], level = 3): string[] {
  const parts = blocks.map((block) => linesOf(block, level)).filter(({ length }) => length > 0);
  return parts.flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]));
}

function linesOf(block: Block, level: number): string[] {
  switch (block.kind) {
    case 'heading':
      return [`${'#'.repeat(level)} ${markdownText(block.text)}`];
    case 'paragraph':
      return [markdownText(block.text)];
    case 'list':
      return block.items.map((item, i) => `${block.isNumbered === true ? `${i + 1}.` : '-'} ${markdownText(item)}`);
    case 'facts':
      return block.facts.map(([name, value]) => `- ${markdownText(name)}: ${markdownText(value)}`);
    case 'code':
      return markdownBlock(block.language, block.text);
    case 'curve':
      return [];
    case 'folded':
      return markdownLines([{ kind: 'heading', text: block.title }, ...block.blocks], level);
    case 'table':
      return tableOfMarkdown(block);
  }
}

function tableOfMarkdown({ columns, rows }: BlockTable): string[] {
  const isShown = (_: unknown, i: number) => columns[i]?.kind !== 'bar';
  return markdownTable(
    columns.filter(isShown).map(({ title, kind }) => ({
      title: markdownText(title),
      align: kind === 'number' ? 'right' : undefined,
    })),
    rows.map(({ cells }) => cells.filter(isShown).map(cellMarkdown)),
  );
}

function cellMarkdown(cell: BlockCell): string {
  const text = markdownText(cellText(cell));
  return typeof cell !== 'string' && 'text' in cell && cell.isOwn === true ? `**${text}**` : text;
}
