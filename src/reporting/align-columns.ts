import { displayWidth, fitText } from './display-text.js';

/** Aligns the cells of rows in columns, two spaces apart. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, displayWidth(cell))));
  return rows.map((row) =>
    row
      .map((cell, i) => fitText(cell, widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
