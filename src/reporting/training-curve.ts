import type { CurvePoint } from './blocks/block.js';
import { formatShare } from './format-quantity.js';
import { paint, type TerminalStyle } from './terminal-style.js';

const eighths = ' ▁▂▃▄▅▆▇█';
const axisWidth = 7;

/** Success rates in one line of blocks, the newest `width` of them. */
export function sparkline(values: readonly number[], width: number): string {
  return values
    .slice(-width)
    .map((value) => eighths[Math.max(1, Math.round(clamp(value) * 8))])
    .join('');
}

/**
 * The course of a run: success from 0 to 100 % over its steps, with one or more steps per column. Values between two
 * points are interpolated. A reference, such as the demonstrator's rate, is a dotted line. No lines with fewer than two
 * points.
 */
export function trainingCurve(
  points: readonly CurvePoint[],
  style: TerminalStyle,
  reference?: { readonly name: string; readonly value: number },
): string[] {
  const sorted = [...points].sort((a, b) => a.step - b.step);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined || first.step === last.step) return [];
  const height = 8;
  const columns = Math.max(8, Math.min(style.width - axisWidth - 1, 64));
  const heights = Array.from({ length: columns }, (_, column) => {
    const step = first.step + ((last.step - first.step) * column) / (columns - 1);
    return Math.round(clamp(valueAt(sorted, step)) * height * 8);
  });
  const referenceRow = reference && Math.min(height - 1, Math.floor(clamp(reference.value) * height));
  const rows = Array.from({ length: height }, (_, index) => {
    const row = height - 1 - index;
    const cells = heights.map((filled) => {
      const block = eighths[Math.max(0, Math.min(8, filled - row * 8))] ?? ' ';
      return block === ' ' && row === referenceRow ? '·' : block;
    });
    const painted = cells
      .join('')
      .replace(/·+|[▁-█]+/g, (run) => paint(run, run.startsWith('·') ? 'dim' : 'cyan', style));
    return `${axisLabel(row, height)}${painted}`;
  });
  const foot = `${' '.repeat(axisWidth)}${stepLabels(first.step, last.step, columns)}`;
  const legend = reference && `${' '.repeat(axisWidth)}·· ${reference.name} ${formatShare(reference.value)}`;
  return [...rows, foot, ...(legend === undefined ? [] : [legend])].map((line) => line.trimEnd());
}

function axisLabel(row: number, height: number): string {
  const label = row === height - 1 ? '100 %' : row === height / 2 ? '50 %' : row === 0 ? '0 %' : '';
  return `${label.padStart(axisWidth - 2)} │`;
}

function stepLabels(first: number, last: number, columns: number): string {
  const [left, right] = [`step ${first}`, String(last)];
  return left + right.padStart(columns - left.length);
}

function valueAt(points: readonly CurvePoint[], step: number): number {
  const after = points.findIndex((point) => point.step >= step);
  const next = points[after === -1 ? points.length - 1 : after];
  const previous = points[Math.max(0, after - 1)];
  if (next === undefined || previous === undefined || next.step === previous.step) return next?.value ?? 0;
  const share = (step - previous.step) / (next.step - previous.step);
  return previous.value + (next.value - previous.value) * Math.min(1, share);
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, Number.isFinite(value) ? value : 0));
}
