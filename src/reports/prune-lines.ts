import { basename } from 'node:path';

import { alignColumns } from '../reporting/align-columns.js';
import { formatBytes } from '../reporting/format-quantity.js';
import type { PruneResult } from '../runs/prune-runs.js';

/** What was or would be removed, for a reader. */
export function pruneLines({ runs, leftovers, bytes, removed }: PruneResult): string[] {
  if (runs.length + leftovers.length === 0) return ['There is nothing to remove.'];
  const rows = [
    ...runs.flatMap(({ id, status, remove }) =>
      remove.map((one) => [id, status, one.kind, basename(one.path), formatBytes(one.bytes)]),
    ),
    ...leftovers.map(({ kind, path, bytes: size }) => ['–', '–', kind, basename(path), formatBytes(size)]),
  ];
  const size = formatBytes(bytes);
  const end = removed ? `Removed: ${size}.` : `Would remove ${size}. Nothing has changed; add \`--yes\` to remove it.`;
  return [...alignColumns(rows), '', end];
}
