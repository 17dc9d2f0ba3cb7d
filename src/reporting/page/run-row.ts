import type { ListedRun, ListedSuccess } from '../live-data.js';
import { addressIn } from './address.js';
import { tableCells } from './data-table.js';
import { element, replaceChildren } from './element.js';
import { count, formatSeconds, percentRange } from '../format-quantity.js';
import { rateCell } from './run-columns.js';
import type { SortableColumn } from './sort-head.js';

/** The origin of a success rate. */
const sources: { readonly [from in ListedSuccess['from']]: string } = {
  final: 'final',
  evaluated: 'so far',
  trained: 'in training',
};

/** A run in the list: a link to its page, a checkbox for comparisons, and the cells of the current columns. */
export function runRow(
  first: ListedRun,
  columns: () => readonly SortableColumn<ListedRun>[],
  onChoose: (key: string, isOn: boolean) => void,
) {
  let run = first;
  const box = element('input', { type: 'checkbox', 'aria-label': `Compare ${titleOf(run)} ${run.key}` });
  box.addEventListener('change', () => onChoose(run.key, box.checked));
  const link = element('a', { href: addressIn(`/runs/${encodeURIComponent(run.key)}`) });
  const about = element('span.about.fine');
  const pick = element('td', element('label.pick', box));
  const name = element('th.name.text', { scope: 'row' }, link, about);
  const node = element('tr.run', pick, name);
  /** Updates the displayed age. */
  const age = () => {
    const recipe = run.name === undefined ? '' : `${run.recipe} · `;
    const tags = run.tags.length === 0 ? '' : ` · ${run.tags.join(', ')}`;
    replaceChildren(about, `${recipe}${run.key} · ${ageOf(run.createdAt)}${tags}`);
  };
  let drawn = '';
  return {
    node,
    age,
    update(newer: ListedRun) {
      run = newer;
      replaceChildren(link, titleOf(run));
      age();
      const shown = JSON.stringify([run, columns().map(({ title }) => title)]);
      if (shown === drawn) return;
      drawn = shown;
      // The first column is the name. It stays in place, and so does the focus.
      while (name.nextSibling !== null) name.nextSibling.remove();
      node.append(...tableCells(columns(), run).slice(1));
    },
  };
}

/** The name that a user gave the run, or its recipe. */
function titleOf({ name, recipe }: ListedRun): string {
  return name ?? recipe;
}

/** The run's progress. */
export function standCell({ stage, status, steps, stepsWanted }: ListedRun): HTMLElement {
  const bar = element('span');
  bar.style.width = `${stepsWanted > 0 ? Math.min(100, (100 * steps) / stepsWanted) : 0}%`;
  return element(
    'span.stand.fine',
    element(
      'span',
      stage === null ? 'no step yet' : `${count(steps)} of ${count(stepsWanted)}`,
      stage !== null && status === 'running' && `, now in ${stage}`,
    ),
    element('span.gauge', { 'aria-hidden': 'true' }, bar),
  );
}

/** The latest success; a final one has its interval, at the lowest temperature. */
export function latestCell({ success, finals }: ListedRun): HTMLElement | string {
  if (success === null) return '–';
  const final = finals.find(({ rate }) => success.from === 'final' && rate === success.rate);
  const interval =
    final === undefined ? '' : `, temperature ${final.temperature}: ${percentRange(final.low, final.high)}`;
  return rateCell(success.rate, `${sources[success.from]}${interval}`);
}

/** "3 min 05 s ago", "2 d 4 h ago" */
function ageOf(createdAt: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(createdAt)) / 1000);
  const days = Math.floor(seconds / 86_400);
  if (days > 0) return `${days} d ${Math.floor(seconds / 3600) % 24} h ago`;
  return seconds < 60 ? 'just now' : `${formatSeconds(Math.floor(seconds / 60) * 60).replace(' 00 s', '')} ago`;
}
