import type { MemoryEstimate } from '../experiments/estimate-memory.js';
import { paragraph, tableOf, type Block } from '../reporting/blocks/block.js';
import { formatBytes } from '../reporting/format-quantity.js';

/** The memory of a recipe as a table: parts, largest first, their sum, and what is available. */
export function memoryBlocks(memory: MemoryEstimate): Block[] {
  const { parts, needed, available, total, advice } = memory;
  const rows = [
    ...Object.entries(parts)
      .filter(([, bytes]) => bytes > 0)
      .sort(([, a], [, b]) => b - a),
    ['total', needed] as const,
    [`available, of ${formatBytes(total)}`, available] as const,
  ];
  return [
    tableOf<(typeof rows)[number]>(
      'Memory',
      [
        { title: 'part', kind: 'text', cell: ([name]) => name },
        { title: 'MB', kind: 'number', cell: ([, bytes]) => String(Math.round(bytes / 1e6)) },
      ],
      rows,
    ),
    paragraph(fits(memory) ? 'It fits.' : `It does not fit. ${advice ?? ''}`),
  ];
}

/** Whether the memory suffices. */
export function fits({ needed, available }: MemoryEstimate): boolean {
  return needed <= available;
}
