import type { ReportData, ReportRun } from '../report-data.js';
import { choice } from './choice.js';
import { codeText } from './code-text.js';
import { copyLink } from './copy-link.js';
import { element, isSameList, replaceChildren } from './element.js';
import { groupBlock, groupOf, withoutAdvantage } from './episode-group.js';
import { episodeFilters } from './episode-filters.js';
import { episodeList } from './episode-list.js';
import { episodeBlocks, placeOf } from './episode-view.js';
import { everyEpisode, filterEpisodes, listEpisodes, otherPlays, type ListedEpisode } from './filter-episodes.js';
import { fillGradually } from './fill-gradually.js';
import { fitTables } from './fit-tables.js';
import { count, short } from '../format-quantity.js';
import { onPlace, place, placed } from './fragment.js';
import { highlightWords } from './highlight-words.js';
import { outcomes } from './outcome-badge.js';
import { searchWords } from './search-words.js';
import { section } from './section.js';
import { scaleOf, type TokenMeasure } from './token-colour.js';
import { measureNames, tokenLegend } from './token-strip.js';

const hint = 'Point at a token, or move with the arrow keys, to read its numbers.';

/** The section of episodes, with the actions of its shortcuts. Undefined if there is no episode yet. */
export function trajectoriesSection({ kind, runs }: ReportData) {
  let all = listEpisodes(runs);
  const [first] = all;
  if (first === undefined) return undefined;
  let measure: TokenMeasure | undefined;
  let episode = first;
  let beside: ListedEpisode | undefined;
  let isWholeGroup = false;

  const found = element('p.explain', { role: 'status' });
  const nothing = element('p.explain', { hidden: true }, 'No episode fits the filter.');
  const stage = element('div.episode');
  const readout = element('p.readout', { 'aria-live': 'polite' });
  const bar = element('div.token-bar');
  const group = element('div');

  const draw = () => {
    readout.textContent = hint;
    drawGroup();
    // The earlier episode is on the left.
    const shown = isWholeGroup
      ? groupOf(all, episode)
      : [episode, ...(beside === undefined ? [] : [beside])].sort(byTime);
    const records = shown.flatMap((listed) => listed.episode.sequences ?? []);
    const colouring = measure && {
      measure,
      scale: scaleOf(records, measure),
      tell: (text: string) => (readout.textContent = text),
    };
    const columns = shown.map((listed) => episodeBlocks(listed, colouring));
    // Row by row, so that the same turns of two episodes are side by side; a style sheet makes the columns.
    const rows = Array.from(
      { length: Math.max(...columns.map(({ length }) => length)) },
      (_, row) => () => columns.map((blocks) => blocks[row]?.() ?? element('div.block.missing')),
    );
    stage.classList.toggle('beside', shown.length > 1);
    stage.style.setProperty('--columns', String(shown.length));
    fillGradually(stage, rows);
    mark();
    bar.hidden = colouring === undefined;
    if (colouring === undefined) return;
    const having = records.filter((record) => record[colouring.measure] !== undefined);
    replaceChildren(
      bar,
      having.length > 0 && tokenLegend(colouring),
      ...lackText(shown, colouring.measure).map((text) => element('p.remark', text)),
      records.some(({ pieces }) => pieces === undefined) &&
        element('p.remark', 'Tokens without recorded text are shown as ids.'),
      readout,
    );
  };
  const drawGroup = () => {
    const isOpen = group.querySelector('details')?.open === true;
    const switchWhole = () => {
      isWholeGroup = !isWholeGroup;
      draw();
    };
    const block = groupBlock(
      groupOf(all, episode),
      episode,
      isWholeGroup,
      (listed) => list.choose(listed),
      switchWhole,
    );
    if (block !== undefined) block.open = isOpen;
    replaceChildren(group, block);
    fitTables(group);
  };
  let offered: readonly ListedEpisode[] = [];
  let picker: HTMLElement = element('span');
  const drawControls = () => {
    offered = otherPlays(all, episode);
    const made = comparisonPicker(offered, beside, (other) => {
      beside = other;
      draw();
    });
    picker.replaceWith(made);
    picker = made;
  };
  let words: readonly string[] = [];
  let marking: ReturnType<typeof setTimeout> | undefined;
  /** Marks the words of the search, once a long episode is drawn and the reader has typed them. */
  const mark = () => {
    clearTimeout(marking);
    marking = setTimeout(() => highlightWords(stage, words), 150);
  };
  new MutationObserver(() => words.length > 0 && mark()).observe(stage, { childList: true });
  const show = (listed: ListedEpisode) => {
    nothing.hidden = true;
    reading.hidden = false;
    isWholeGroup &&= groupOf(all, episode).includes(listed);
    episode = listed;
    // A compared episode stays only while the task is the same.
    if (beside?.episode.task !== listed.episode.task || beside === listed) beside = undefined;
    drawControls();
    draw();
  };
  const colours = choice<TokenMeasure | 'text'>({
    label: 'Show',
    place: 'tokens',
    options: [['text', 'text'], ...(Object.entries(measureNames) as [TokenMeasure, string][])],
    value: 'text',
    disabled: absentMeasures(all),
    onChange: (value) => {
      measure = value === 'text' ? undefined : value;
      draw();
    },
  });
  const link = copyLink('Link to this episode', () => ({ episode: episode.key, chart: undefined }));
  const reading = element('div.reading', element('div.controls', colours.node, picker, link), group, bar, stage);

  const list = episodeList(kind !== 'run', (listed, replace) => {
    place({ episode: listed.key, chart: undefined }, { replace });
    show(listed);
  });
  let filter = everyEpisode;
  const filters = episodeFilters(all, (chosen) => {
    filter = chosen;
    words = searchWords(filter.words);
    const matching = filterEpisodes(all, filter);
    tellFound(matching.length);
    list.show(matching);
    // The open episode is always one of the list: another filter opens its first one.
    const [next] = matching;
    if (matching.includes(episode)) show(episode);
    else if (next !== undefined) {
      list.mark(next);
      show(next);
      if (placed('episode') !== undefined) place({ episode: next.key }, { replace: true });
    }
    nothing.hidden = next !== undefined;
    reading.hidden = next === undefined;
    mark();
  });
  const tellFound = (shown: number) => (found.textContent = foundText(shown, all.length));
  tellFound(all.length);
  const leftOut = element('p.note');
  const tellLeftOut = (of: readonly ReportRun[]) => {
    const recorded = of.reduce((sum, run) => sum + run.episodesRecorded, 0);
    leftOut.hidden = recorded <= all.length;
    const adding = 'spread evenly over training; `agentgym report --episodes` adds more.';
    replaceChildren(
      leftOut,
      ...codeText(`The page has ${count(all.length)} of ${count(recorded)} recorded episodes, ${adding}`),
    );
  };
  tellLeftOut(runs);
  const missing = element(
    'p.warning',
    { role: 'alert', hidden: true },
    'The episode of this address is not on this page.',
  );
  const browse = element('div.browse', filters.node, found, list.node);
  const read = element('div.read', nothing, reading);
  const node = section('episodes', 'Episodes', [], leftOut, missing, element('div.trajectories', browse, read));
  list.show(all);
  /** Opens an episode without a change of the address. */
  const open = (listed: ListedEpisode) => {
    list.mark(listed);
    show(listed);
  };
  const openFirst = () => {
    const [opening, partner] = tellingPair(all) ?? [first, undefined];
    open(opening);
    // Two columns need a wide window.
    if (partner === undefined || !matchMedia('(min-width: 60rem)').matches) return;
    beside = partner;
    drawControls();
    draw();
  };
  const openPlaced = () => {
    const key = placed('episode');
    const listed = all.find((one) => one.key === key);
    missing.hidden = key === undefined || listed !== undefined;
    if (listed !== undefined && filterEpisodes(all, filter).includes(listed)) open(listed);
    return listed;
  };
  openFirst();
  onPlace(() => {
    filters.follow();
    if (placed('episode') === undefined && !isFiltered()) openFirst();
    else openPlaced();
  });
  return {
    node,
    /** Takes the filter and the episode of the address, when the page is drawn. */
    follow: () => {
      if (isFiltered()) filters.follow();
      colours.follow();
      if (openPlaced() !== undefined) node.scrollIntoView();
    },
    move: list.move,
    nextMeasure: colours.next,
    toggleComparison: () => {
      beside = beside === undefined ? otherPlays(all, episode)[0] : undefined;
      drawControls();
      draw();
    },
    focusSearch: filters.focusSearch,
    /** Lists the episodes of a task, opens the first one, and scrolls to it. */
    openTask: (task: string) => {
      filters.searchFor(task);
      const found = all.find((listed) => listed.episode.task === task);
      if (found !== undefined) list.choose(found);
      node.scrollIntoView();
    },
    /** Takes new data; open, compared, filtered and visible episodes stay. */
    update(data: ReportData) {
      const given = listEpisodes(data.runs);
      const isSame = isSameList(given, all);
      all = given;
      tellLeftOut(data.runs);
      if (isSame) return;
      filters.update(all);
      colours.disable(absentMeasures(all));
      const matching = filterEpisodes(all, filter);
      tellFound(matching.length);
      list.update(matching);
      // An update must not disturb a reader who is choosing.
      if (!isSameList(otherPlays(all, episode), offered) && !picker.contains(document.activeElement)) drawControls();
    },
  };
}

/**
 * A task of the final evaluation, played before and after training: the first that only the trained policy solved, or
 * the first of all.
 */
function tellingPair(all: readonly ListedEpisode[]): readonly [ListedEpisode, ListedEpisode] | undefined {
  const starts = new Map(
    all
      .filter(({ episode }) => episode.stage === 'evaluation.start')
      .map((listed) => [`${listed.run.id} ${listed.episode.member} ${listed.episode.task}`, listed]),
  );
  const pairs = all.flatMap((listed): (readonly [ListedEpisode, ListedEpisode])[] => {
    const start = starts.get(`${listed.run.id} ${listed.episode.member} ${listed.episode.task}`);
    return listed.episode.stage === 'evaluation.final' && start !== undefined ? [[listed, start]] : [];
  });
  const only = pairs.find(
    ([after, before]) => after.episode.outcome === 'solved' && before.episode.outcome !== 'solved',
  );
  return only ?? pairs[0];
}

/** Selects another episode of the task to show beside this one. */
function comparisonPicker(
  others: readonly ListedEpisode[],
  beside: ListedEpisode | undefined,
  onPick: (other: ListedEpisode | undefined) => void,
): HTMLElement {
  const describe = (other: ListedEpisode) => {
    const { episode, run } = other;
    const value = episode.return === null ? '' : `, return ${short(episode.return)}`;
    return `${placeOf(other)}, ${run.label}, member ${episode.member}: ${outcomes[episode.outcome].name}${value}`;
  };
  const none = others.length === 0 ? 'no other episode of this task' : `choose (${count(others.length)})`;
  const select = element(
    'select',
    {
      disabled: others.length === 0,
      onchange: () => onPick(select.value === '' ? undefined : others[Number(select.value)]),
    },
    element('option', { value: '' }, none),
    ...others.map((other, i) => element('option', { value: i }, describe(other))),
  );
  select.value = beside === undefined ? '' : String(others.indexOf(beside));
  return element('label.compared', 'compare with ', select);
}

/** Whether no sequence of an episode has the measure. */
function lacks({ sequences = [] }: ListedEpisode['episode'], measure: TokenMeasure): boolean {
  return sequences.every((sequence) => sequence[measure] === undefined);
}

/** Describes what the visible records lack, each reason once. */
function lackText(shown: readonly ListedEpisode[], measure: TokenMeasure): string[] {
  const lacking = shown.filter(({ episode }) => lacks(episode, measure));
  if (measure === 'advantages') return [...new Set(lacking.map(withoutAdvantage))];
  if (lacking.length === 0) return [];
  return [`${lacking.length === shown.length ? 'The record' : 'One record'} here has no ${measureNames[measure]}.`];
}

/** Measures that are missing in the records of all episodes, and why. */
function absentMeasures(all: readonly ListedEpisode[]): Record<string, string> {
  const absent = (Object.keys(measureNames) as TokenMeasure[]).filter((measure) =>
    all.every(({ episode }) => lacks(episode, measure)),
  );
  return Object.fromEntries(
    absent.map((measure) => [measure, `These episodes were recorded without ${measureNames[measure]}.`]),
  );
}

/** Whether the address has a filter. */
function isFiltered(): boolean {
  return ['stage', 'run', 'words', 'outcome', 'invalid', 'order'].some((name) => placed(name) !== undefined);
}

function byTime(a: ListedEpisode, b: ListedEpisode): number {
  return a.episode.runStep - b.episode.runStep;
}

function foundText(shown: number, all: number): string {
  const noun = all === 1 ? 'episode' : 'episodes';
  return shown === all ? `${count(all)} ${noun}` : `${count(shown)} of ${count(all)} ${noun}`;
}
