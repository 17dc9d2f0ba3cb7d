import type { ListedRun, ListedSuccess } from '../live-data.js';
import { addressIn } from './address.js';
import { element } from './element.js';
import { count, duration, percent } from './format-number.js';
import type { KeyedChild } from './keyed-children.js';

export interface RunRow extends KeyedChild<ListedRun> {
  /** Tells again how old it is. */
  readonly age: () => void;
}

/** Where a number of success comes from. */
const sources: { readonly [from in ListedSuccess['from']]: string } = {
  final: 'final',
  evaluated: 'so far',
  trained: 'in training',
};

/** A run in the list: a link to its page, and a box that chooses it for a comparison. */
export function runRow(first: ListedRun, onChoose: (key: string, isOn: boolean) => void): RunRow {
  let run = first;
  const box = element('input', { type: 'checkbox', 'aria-label': `Compare ${run.recipe} ${run.key}` });
  box.addEventListener('change', () => onChoose(run.key, box.checked));
  const name = element('a', { href: addressIn(`/runs/${encodeURIComponent(run.key)}`) }, run.recipe);
  const about = element('span', { class: 'about' });
  const status = element('span');
  const bar = element('span', { class: 'done' });
  const progress = element('span', { class: 'progress', 'aria-hidden': 'true' }, bar);
  const steps = element('span', { class: 'steps-done' });
  const rate = element('b');
  const from = element('span', { class: 'about' });
  const node = element(
    'li',
    { class: 'run' },
    element('label', { class: 'pick' }, box),
    element('span', { class: 'name' }, name, about),
    status,
    element('span', { class: 'stand' }, steps, progress),
    element('span', { class: 'rate' }, rate, from),
  );
  const age = () => {
    about.textContent = `${run.key} · seed ${run.seed} · ${ageOf(run.createdAt)}`;
  };
  return {
    node,
    age,
    update(newer) {
      run = newer;
      age();
      status.className = `status ${run.status}`;
      status.textContent = run.status;
      const where = run.stage === null ? 'no step yet' : `${run.stage}, step ${count(run.steps)}`;
      steps.textContent = `${where} of ${count(run.stepsWanted)}`;
      bar.style.width = `${run.stepsWanted > 0 ? Math.min(100, (100 * run.steps) / run.stepsWanted) : 0}%`;
      rate.textContent = run.success === null ? '–' : percent(run.success.rate);
      from.textContent = run.success === null ? '' : sources[run.success.from];
    },
  };
}

/** "3 min 05 s ago", "2 d 4 h ago" */
function ageOf(createdAt: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(createdAt)) / 1000);
  const days = Math.floor(seconds / 86_400);
  if (days > 0) return `${days} d ${Math.floor(seconds / 3600) % 24} h ago`;
  return seconds < 60 ? 'just now' : `${duration(Math.floor(seconds / 60) * 60).replace(' 00 s', '')} ago`;
}
