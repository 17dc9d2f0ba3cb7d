import type { AblationSummary } from '../ablation/list-ablations.js';
import { cellText, tableOf, type Block, type CellColumn } from '../reporting/blocks/block.js';
import { formatShare } from '../reporting/format-quantity.js';
import { shortKey } from '../reporting/short-key.js';
import { shownSetting, shownValue } from '../reporting/shown-values.js';
import type { RunSummary } from '../runs/summarize-runs.js';

/** A time, to the minute. */
const minuteOf = (moment: string): string => moment.slice(0, 16).replace('T', ' ');

const columns: readonly CellColumn<RunSummary>[] = [
  { title: 'run', kind: 'text', cell: ({ id }) => id },
  { title: 'name', kind: 'text', rank: 1, cell: ({ name }) => name },
  { title: 'recipe', kind: 'text', rank: 7, cell: ({ recipe }) => recipe },
  { title: 'seed', kind: 'number', rank: 4, cell: ({ seed }) => String(seed) },
  { title: 'algorithm', kind: 'text', rank: 6, cell: ({ algorithm }) => algorithm ?? '–' },
  { title: 'status', kind: 'text', rank: 2, cell: ({ status }) => status },
  { title: 'started', kind: 'text', rank: 5, cell: ({ createdAt }) => minuteOf(createdAt) },
  { title: 'steps', kind: 'number', rank: 8, cell: ({ step }) => (step === null ? '–' : String(step)) },
  { title: 'success', kind: 'number', rank: 3, cell: ({ success }) => (success === null ? '–' : formatShare(success)) },
  { title: 'tags', kind: 'text', rank: 9, cell: ({ tags }) => tags.join(', ') },
  { title: 'settings', kind: 'text', rank: 10, cell: settingsOf },
];

/** The most settings in a line; `--json` and `runs compare` have all. */
const mostSettings = 3;

/** A table of runs and their notes, then a table of ablations. */
export function runListBlocks(runs: readonly RunSummary[], ablations: readonly AblationSummary[]): Block[] {
  const notes = runs.flatMap(({ id, note }) => (note === null ? [] : [`${id}: ${note}`]));
  const shown = columns.filter(({ cell }) => runs.some((run) => !['', '–'].includes(cellText(cell(run)))));
  const ofAblations: readonly CellColumn<AblationSummary>[] = [
    { title: 'ablation', kind: 'text', cell: ({ name }) => name },
    { title: 'runs', kind: 'number', cell: ({ completed, runs: all }) => `${completed}/${all}` },
    { title: 'started', kind: 'text', rank: 1, cell: ({ createdAt }) => minuteOf(createdAt) },
    { title: 'question', kind: 'text', cell: ({ question }) => question },
  ];
  return [
    ...(runs.length === 0 ? [] : [tableOf('Runs', shown, runs)]),
    ...(notes.length === 0 ? [] : [{ kind: 'list', items: notes } as const]),
    ...(ablations.length === 0 ? [] : [tableOf('Ablations', ofAblations, ablations)]),
  ];
}

function settingsOf({ settings }: RunSummary): string {
  const keys = Object.keys(settings);
  const all = Object.entries(settings).map(([key, value]) => shownSetting(shortKey(key, keys), shownValue(value)));
  const more = all.length - mostSettings;
  return [...all.slice(0, mostSettings), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
