import type { ReportEpisode } from '../report-data.js';
import { element } from './element.js';
import { stageName } from './episode-view.js';
import { place, placed } from './fragment.js';
import { everyEpisode, type EpisodeFilter, type ListedEpisode } from './filter-episodes.js';
import { count } from '../format-quantity.js';
import { outcomes } from './outcome-badge.js';
import { searchField } from './search-field.js';

/** The controls that filter episodes. */
export function episodeFilters(first: readonly ListedEpisode[], onChange: (filter: EpisodeFilter) => void) {
  let filter: EpisodeFilter = everyEpisode;
  const change = (changes: Partial<EpisodeFilter>) => {
    filter = { ...filter, ...changes };
    const { stage, run, words, outcomes: only, invalidOnly, order: sorted } = filter;
    place(
      {
        stage,
        run,
        words: words.trim(),
        outcome: [...only].join(','),
        invalid: invalidOnly ? 'only' : undefined,
        order: sorted === everyEpisode.order ? undefined : sorted,
      },
      // Typing makes one entry in the history, not one for each letter.
      { replace: changes.words !== undefined },
    );
    onChange(filter);
  };
  const search = searchField('Words of tasks, observations, actions', (words) => change({ words }));

  const chosen = new Set<ReportEpisode['outcome']>();
  const outcomeChips = (Object.keys(outcomes) as ReportEpisode['outcome'][]).map((outcome) => {
    const { sign, name } = outcomes[outcome];
    const label = [element('span', { class: `sign ${outcome}`, 'aria-hidden': 'true' }, sign), name];
    const made = chip(label, (isOn) => {
      if (isOn) chosen.add(outcome);
      else chosen.delete(outcome);
      change({ outcomes: new Set(chosen) });
    });
    return { outcome, ...made };
  });
  const invalid = chip(['invalid action'], (invalidOnly) => change({ invalidOnly }));

  const stages = select('Stage', (stage) => change({ stage }));
  const runs = select('Run', (run) => change({ run }));
  const order = select('Order', (value) => change({ order: value as EpisodeFilter['order'] }));
  order.offer([
    ['recorded', 'as recorded'],
    ['best', 'highest return'],
    ['worst', 'lowest return'],
    ['longest', 'most turns'],
  ]);
  const from = bound('From step', (value) => change({ fromStep: value ?? -Infinity }));
  const to = bound('To step', (value) => change({ toStep: value ?? Infinity }));
  const steps = element('span.steps', 'steps of the run ', from, ' to ', to);

  /** Replaces the episodes; selected values stay selected. */
  const update = (all: readonly ListedEpisode[]) => {
    for (const { outcome, count: show } of outcomeChips) {
      show(all.filter(({ episode }) => episode.outcome === outcome).length);
    }
    invalid.count(all.filter((listed) => listed.invalid).length);
    const stageNames = [...new Set(all.map(({ episode }) => episode.stage))];
    const runNames = [...new Map(all.map(({ run }) => [run.id, run.label]))];
    stages.offer([['', 'all stages'], ...stageNames.map((stage) => [stage, stageName(stage)] as const)]);
    runs.offer([['', 'all runs'], ...runNames]);
    stages.node.hidden = stageNames.length < 2;
    runs.node.hidden = runNames.length < 2;
    const low = all.reduce((least, { episode }) => Math.min(least, episode.runStep), Infinity);
    const high = all.reduce((most, { episode }) => Math.max(most, episode.runStep), -Infinity);
    steps.hidden = low >= high;
    for (const [input, end] of [
      [from, low],
      [to, high],
    ] as const) {
      input.placeholder = Number.isFinite(end) ? count(end) : '';
      input.min = String(low);
      input.max = String(high);
    }
  };
  update(first);
  const node = element(
    'div.filters',
    { role: 'search', 'aria-label': 'Filter of episodes' },
    search,
    element(
      'div.chips',
      { role: 'group', 'aria-label': 'Outcome' },
      ...outcomeChips.map((made) => made.node),
      invalid.node,
    ),
    element('div.fields', stages.node, runs.node, order.node, steps),
  );
  /** Searches for words, as if they were typed. */
  const searchFor = (words: string) => {
    search.value = words;
    change({ words });
  };
  /** Takes the filter of the address. */
  const follow = () => {
    const named = new Set((placed('outcome') ?? '').split(','));
    for (const { outcome, set } of outcomeChips) {
      set(named.has(outcome));
      if (named.has(outcome)) chosen.add(outcome);
      else chosen.delete(outcome);
    }
    invalid.set(placed('invalid') !== undefined);
    search.value = placed('words') ?? '';
    filter = {
      ...filter,
      outcomes: new Set(chosen),
      invalidOnly: placed('invalid') !== undefined,
      words: search.value,
      stage: stages.set(placed('stage')),
      run: runs.set(placed('run')),
      order: order.set(placed('order')) as EpisodeFilter['order'],
    };
    onChange(filter);
  };
  return { node, focusSearch: () => search.focus(), searchFor, update, follow };
}

function bound(label: string, apply: (value: number | undefined) => void): HTMLInputElement {
  const oninput = () => apply(input.value === '' ? undefined : Number(input.value));
  const input = element('input', { type: 'number', 'aria-label': label, oninput });
  return input;
}

/** `count` shows the number of matches. A chip without matches is hidden unless it is on. */
function chip(label: readonly (Node | string)[], onToggle: (isOn: boolean) => void) {
  const number = element('span.found');
  const isOn = () => node.getAttribute('aria-pressed') === 'true';
  const set = (on: boolean) => {
    node.setAttribute('aria-pressed', String(on));
    if (on) node.hidden = false;
  };
  const onclick = () => {
    set(!isOn());
    onToggle(isOn());
  };
  const node = element('button.chip', { type: 'button', 'aria-pressed': 'false', onclick }, ...label, number);
  return {
    node,
    set,
    count(found: number) {
      number.textContent = count(found);
      node.hidden = found === 0 && !isOn();
    },
  };
}

/**
 * `offer` sets its options; existing ones and the selection stay. `set` selects a value, or the first option, and
 * returns the selection.
 */
function select(label: string, onChange: (value: string) => void) {
  const node = element('select', { 'aria-label': label, onchange: () => onChange(node.value) });
  return {
    node,
    set(value: string | undefined) {
      const found = [...node.options].find((option) => option.value === value);
      node.selectedIndex = found?.index ?? 0;
      return node.value;
    },
    offer(options: readonly (readonly [value: string, text: string])[]) {
      const known = new Set([...node.options].map(({ value }) => value));
      for (const [value, text] of options) if (!known.has(value)) node.append(element('option', { value }, text));
    },
  };
}
