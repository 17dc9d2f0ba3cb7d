import { basename } from 'node:path';

import { paragraph, tableOf, type Block } from '../reporting/blocks/block.js';
import { formatBytes } from '../reporting/format-quantity.js';
import type { PruneResult } from '../runs/prune-runs.js';

/** What was or would be removed. */
export function pruneBlocks({ runs, leftovers, bytes, removed }: PruneResult): Block[] {
  if (runs.length + leftovers.length === 0) return [paragraph('There is nothing to remove.')];
  const rows = [
    ...runs.flatMap(({ id, status, remove }) => remove.map((one) => ({ id, status: String(status), ...one }))),
    ...leftovers.map((one) => ({ id: '–', status: '–', ...one })),
  ];
  const size = formatBytes(bytes);
  return [
    tableOf<(typeof rows)[number]>(
      'Removed',
      [
        { title: 'run', kind: 'text', cell: ({ id }) => id },
        { title: 'status', kind: 'text', cell: ({ status }) => status },
        { title: 'what', kind: 'text', cell: ({ kind }) => kind },
        { title: 'name', kind: 'text', cell: ({ path }) => basename(path) },
        { title: 'size', kind: 'number', cell: ({ bytes: own }) => formatBytes(own) },
      ],
      rows,
    ),
    paragraph(removed ? `Removed: ${size}.` : `Would remove ${size}. Nothing has changed; add \`--yes\` to remove it.`),
  ];
}
