import type { ReportEpisode } from '../report-data.js';
import { element } from './element.js';
import type { EpisodeFilter, ListedEpisode } from './filter-episodes.js';
import { count } from './format-number.js';
import { outcomes } from './outcome-badge.js';

/** The controls that choose episodes; `focusSearch` is for a shortcut. */
export function episodeFilters(
  all: readonly ListedEpisode[],
  onChange: (filter: EpisodeFilter) => void,
): { readonly node: HTMLElement; readonly focusSearch: () => void } {
  let filter: EpisodeFilter = {
    outcomes: new Set(),
    invalidOnly: false,
    stage: '',
    run: '',
    fromStep: -Infinity,
    toStep: Infinity,
    words: '',
    order: 'recorded',
  };
  const change = (changes: Partial<EpisodeFilter>) => {
    filter = { ...filter, ...changes };
    onChange(filter);
  };
  const search = element('input', {
    type: 'search',
    placeholder: 'Words of the task',
    'aria-label': 'Words of the task',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  search.addEventListener('input', () => change({ words: search.value }));

  const chosen = new Set<ReportEpisode['outcome']>();
  const chips = (Object.keys(outcomes) as ReportEpisode['outcome'][]).flatMap((outcome) => {
    const found = all.filter(({ episode }) => episode.outcome === outcome).length;
    if (found === 0) return [];
    const { sign, name } = outcomes[outcome];
    return [
      chip([element('span', { class: `sign ${outcome}`, 'aria-hidden': 'true' }, sign), name], found, (isOn) => {
        if (isOn) chosen.add(outcome);
        else chosen.delete(outcome);
        change({ outcomes: new Set(chosen) });
      }),
    ];
  });
  const invalid = all.filter((listed) => listed.invalid).length;
  if (invalid > 0) chips.push(chip(['invalid action'], invalid, (invalidOnly) => change({ invalidOnly })));

  const stages = [...new Set(all.map(({ episode }) => episode.stage))];
  const runs = [...new Map(all.map(({ run }) => [run.id, run.label]))];
  const steps = all.map(({ episode }) => episode.runStep);
  const [low, high] = [
    steps.reduce((a, b) => Math.min(a, b), Infinity),
    steps.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  const bound = (label: string, missing: number, apply: (value: number) => void) => {
    const input = element('input', {
      type: 'number',
      min: low,
      max: high,
      placeholder: String(Number.isFinite(missing) ? missing : ''),
      'aria-label': label,
    });
    input.addEventListener('input', () =>
      apply(input.value === '' ? (missing === low ? -Infinity : Infinity) : Number(input.value)),
    );
    return input;
  };
  const node = element(
    'div',
    { class: 'filters', role: 'search', 'aria-label': 'Filter of episodes' },
    search,
    element('div', { class: 'chips', role: 'group', 'aria-label': 'Outcome' }, ...chips),
    element(
      'div',
      { class: 'fields' },
      stages.length > 1 &&
        select('Stage', [['', 'all stages'], ...stages.map((stage) => [stage, stage] as const)], (stage) =>
          change({ stage }),
        ),
      runs.length > 1 && select('Run', [['', 'all runs'], ...runs], (run) => change({ run })),
      select(
        'Order',
        [
          ['recorded', 'as recorded'],
          ['best', 'highest return'],
          ['worst', 'lowest return'],
          ['longest', 'most turns'],
        ],
        (order) => change({ order: order as EpisodeFilter['order'] }),
      ),
      low < high &&
        element(
          'span',
          { class: 'steps' },
          'steps ',
          bound('From step', low, (fromStep) => change({ fromStep })),
          ' to ',
          bound('To step', high, (toStep) => change({ toStep })),
        ),
    ),
  );
  return { node, focusSearch: () => search.focus() };
}

function chip(label: readonly (Node | string)[], found: number, onToggle: (isOn: boolean) => void): HTMLElement {
  const button = element(
    'button',
    { type: 'button', class: 'chip', 'aria-pressed': 'false' },
    ...label,
    element('span', { class: 'found' }, count(found)),
  );
  button.addEventListener('click', () => {
    const isOn = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(isOn));
    onToggle(isOn);
  });
  return button;
}

function select(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  onChange: (value: string) => void,
): HTMLElement {
  const made = element(
    'select',
    { 'aria-label': label },
    ...options.map(([value, text]) => element('option', { value }, text)),
  );
  made.addEventListener('change', () => onChange(made.value));
  return made;
}
