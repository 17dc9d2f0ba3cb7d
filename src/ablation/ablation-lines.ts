import { paragraph, tableOf, type Block } from '../reporting/blocks/block.js';
import { formatCount, formatSeconds } from '../reporting/format-quantity.js';
import type { Rendering } from '../runners/rendered/renderer.js';
import { trainedCells, type AblationResult } from './ablation-result.js';
import type { CellEstimate } from './estimate-cells.js';

/** What a user does with an ablation that was written for a scheduler. */
export function renderingLines({ ablation, cells }: AblationResult, { files, commands }: Rendering): string[] {
  const runs = trainedCells(cells).flatMap((cell) => cell.runs);
  const done = runs.filter(({ status }) => status === 'completed').length;
  const lines = [`${done} of ${runs.length} runs are complete: ${ablation}`];
  if (done === runs.length) return [...lines, 'The same command without `--runner` compares the cells.'];
  if (commands.length === 0) return [...lines, 'All others are being trained now.'];
  return [
    ...lines,
    ...files.map((file) => `Written: ${file}`),
    '',
    'Submit the missing runs with:',
    ...commands.map((command) => `  ${command}`),
    '',
    'Then the same command without `--runner` compares the cells.',
  ];
}

/** The expected cost of a grid, before it runs. */
export function estimateBlocks(estimates: readonly CellEstimate[], seeds: number, workers: number): Block[] {
  const total = estimates.reduce((sum, { seconds, sharedSeconds }) => sum + seconds - sharedSeconds, 0) * seeds;
  const notes = estimates.flatMap(({ id, title = id, notes: own }) => own.map((note) => `${title}: ${note}`));
  return [
    tableOf<CellEstimate>(
      'Expected costs',
      [
        { title: 'setting', kind: 'text', cell: ({ id, title = id }) => title },
        { title: 'a run', kind: 'number', cell: ({ seconds }) => `about ${formatSeconds(seconds)}` },
        { title: 'steps', kind: 'number', cell: ({ steps }) => String(steps) },
        { title: 'demonstrations', kind: 'number', cell: ({ demonstrations }) => formatCount(demonstrations) },
        { title: 'episodes', kind: 'number', cell: ({ episodes }) => formatCount(episodes) },
      ],
      estimates,
    ),
    paragraph(
      `${estimates.length} cells with ${seeds} seeds, ${workers} at the same time: about ${formatSeconds(total / workers)}`,
    ),
    ...(notes.length === 0 ? [] : [{ kind: 'list', items: notes } as const]),
  ];
}
