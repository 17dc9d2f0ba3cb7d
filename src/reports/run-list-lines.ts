import { shortKey } from '../reporting/short-key.js';
import type { AblationSummary } from '../ablation/list-ablations.js';
import { alignColumns } from '../reporting/align-columns.js';
import { displayWidth } from '../reporting/display-text.js';
import { formatShare } from '../reporting/format-quantity.js';
import { paint, type TerminalStyle } from '../reporting/terminal-style.js';
import type { RunSummary } from '../runs/summarize-runs.js';
import { shownSetting, shownValue } from '../reporting/shown-values.js';

interface Column {
  readonly title: string;
  readonly of: (run: RunSummary) => string;
  /** Columns with the highest rank are dropped first on a narrow terminal. */
  readonly rank: number;
}

/** A time, to the minute. */
const minuteOf = (moment: string): string => moment.slice(0, 16).replace('T', ' ');

const columns: readonly Column[] = [
  { title: 'run', of: ({ id }) => id, rank: 0 },
  { title: 'name', of: ({ name }) => name, rank: 1 },
  { title: 'recipe', of: ({ recipe }) => recipe, rank: 7 },
  { title: 'seed', of: ({ seed }) => String(seed), rank: 4 },
  { title: 'algorithm', of: ({ algorithm }) => algorithm ?? '-', rank: 6 },
  { title: 'status', of: ({ status }) => status, rank: 2 },
  { title: 'started', of: ({ createdAt }) => minuteOf(createdAt), rank: 5 },
  { title: 'steps', of: ({ step }) => (step === null ? '-' : String(step)), rank: 8 },
  { title: 'success', of: ({ success }) => (success === null ? '-' : formatShare(success)), rank: 3 },
  { title: 'tags', of: ({ tags }) => tags.join(', '), rank: 9 },
  { title: 'settings', of: settingsOf, rank: 10 },
];

/** The most settings in a line; `--json` and `runs compare` have all. */
const mostSettings = 3;

/** A table of runs, then a table of ablations; a narrow terminal drops the least important columns. */
export function runListLines(
  runs: readonly RunSummary[],
  ablations: readonly AblationSummary[],
  style: TerminalStyle,
): string[] {
  const lines = runs.length === 0 ? [] : tableOf(runs, style);
  const notes = runs.flatMap(({ id, note }) => (note === null ? [] : [`${id}: ${note}`]));
  const [head = '', ...rows] = alignColumns([
    ['ablation', 'runs', 'started', 'question'],
    ...ablations.map(({ name, completed, runs: all, createdAt, question }) => [
      name,
      `${completed}/${all}`,
      minuteOf(createdAt),
      question,
    ]),
  ]);
  const gap = lines.length === 0 ? [] : [''];
  return [
    ...lines,
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...(rows.length === 0 ? [] : [...gap, paint(head, 'dim', style), ...rows]),
  ];
}

function tableOf(runs: readonly RunSummary[], style: TerminalStyle): string[] {
  let shown = columns.filter(({ of }) => runs.some((run) => !['', '-'].includes(of(run))));
  for (;;) {
    const lines = alignColumns([shown.map(({ title }) => title), ...runs.map((run) => shown.map(({ of }) => of(run)))]);
    const last = Math.max(...shown.map(({ rank }) => rank));
    if (shown.length === 1 || lines.every((line) => displayWidth(line) <= style.width)) {
      const [head = '', ...rows] = lines;
      return [paint(head, 'dim', style), ...rows];
    }
    shown = shown.filter(({ rank }) => rank !== last);
  }
}

function settingsOf({ settings }: RunSummary): string {
  const keys = Object.keys(settings);
  const all = Object.entries(settings).map(([key, value]) => shownSetting(shortKey(key, keys), shownValue(value)));
  const more = all.length - mostSettings;
  return [...all.slice(0, mostSettings), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
