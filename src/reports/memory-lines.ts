import type { MemoryEstimate } from '../experiments/estimate-memory.js';
import { formatBytes } from '../reporting/format-quantity.js';

/** The memory of a recipe as a table: parts, largest first, their sum, and what is available. */
export function memoryLines(memory: MemoryEstimate): string[] {
  const { parts, needed, available, total, advice } = memory;
  const sorted = Object.entries(parts)
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a);
  const width = Math.max('available'.length, ...sorted.map(([part]) => part.length));
  const row = (name: string, bytes: number) => `  ${name.padEnd(width)}  ${megabytes(bytes)} MB`;
  return [
    ...sorted.map(([part, bytes]) => row(part, bytes)),
    row('total', needed),
    `${row('available', available)} (of ${formatBytes(total)})`,
    fits(memory) ? 'It fits.' : `It does not fit. ${advice ?? ''}`,
  ];
}

/** Whether the memory suffices. */
export function fits({ needed, available }: MemoryEstimate): boolean {
  return needed <= available;
}

function megabytes(bytes: number): string {
  return Math.round(bytes / 1e6)
    .toString()
    .padStart(7);
}
