import type { ListedRun, RunsListing } from '../live-data.js';
import { addressIn } from './address.js';
import type { ReportFrame } from './draw-report.js';
import { codeText } from './code-text.js';
import { tableFrame } from './data-table.js';
import { element, replaceChildren } from './element.js';
import { hasWords, searchWords } from './search-words.js';
import { fitTables, keepTablesFitting } from './fit-tables.js';
import { count } from '../format-quantity.js';
import { ablationCard } from './ablation-card.js';
import { keyedChildren } from './keyed-children.js';
import { searchedText, settingColumns, statusColumn, successColumns, timeColumn } from './run-columns.js';
import { latestCell, runRow, standCell } from './run-row.js';
import { searchField } from './search-field.js';
import { section } from './section.js';
import { sortHead, type SortableColumn } from './sort-head.js';

/**
 * Draws the list of runs into an element. Returns a function that draws a newer list. Rows stay the same nodes, and the
 * selection stays.
 */
export function drawRuns(root: HTMLElement, first: RunsListing, frame: ReportFrame): (listing: RunsListing) => void {
  let listing = first;
  const chosen = new Set<string>();
  let words: readonly string[] = [];
  const search = searchField('Name, tag, recipe, setting, id or status', (typed) => {
    words = searchWords(typed);
    draw();
  });
  const compare = element('a.button', { role: 'link' }, 'Compare');
  const found = element('p.explain', { role: 'status' });
  const empty = element('p.note');
  const damaged = element('details.note');
  let most = rowsAtOnce;
  const more = element('button.quiet', {
    type: 'button',
    hidden: true,
    onclick: () => {
      most += rowsAtOnce;
      draw();
    },
  });
  const list = element('tbody');
  let columns: readonly SortableColumn<ListedRun>[] = [];
  const cards = element('div.ablations');
  const rows = keyedChildren(list, (run: ListedRun) => runRow(run, () => columns, choose));
  const head = sortHead<ListedRun>('newest first', () => draw());
  const picks = element('th', { scope: 'col' }, element('span.hidden', 'Compare'));
  const table = tableFrame('Runs with their settings and their success', head.node, list);
  table.classList.add('runs', 'sortable');
  const ablations = keyedChildren(cards, ablationCard);
  const ablationSection = section('ablations', 'Ablations', [], cards);

  function choose(key: string, isOn: boolean): void {
    if (isOn) chosen.add(key);
    else chosen.delete(key);
    drawChoice();
  }
  const drawChoice = () => {
    const keys = listing.runs.flatMap(({ key }) => (chosen.has(key) ? [key] : []));
    compare.textContent = keys.length < 2 ? 'Choose runs to compare' : `Compare ${keys.length} runs`;
    compare.setAttribute('aria-disabled', String(keys.length < 2));
    const pairs = keys.map((key) => ['run', key] as const);
    if (keys.length < 2) compare.removeAttribute('href');
    else compare.setAttribute('href', addressIn('/compare', pairs));
  };
  const draw = () => {
    const shown = listing.runs.filter((run) => hasWords(searchedText(run), words));
    columns = columnsOf(listing.runs);
    head.update(columns);
    if (head.node.firstElementChild !== picks) head.node.prepend(picks);
    rows.update(head.sort(shown).slice(0, most));
    more.hidden = shown.length <= most;
    more.textContent = `Show ${count(Math.min(rowsAtOnce, shown.length - most))} more of ${count(shown.length)}`;
    table.hidden = listing.runs.length === 0;
    head.menu.hidden = table.hidden;
    const running = listing.runs.filter(({ status }) => status === 'running').length;
    found.textContent = foundText(listing, shown.length, running);
    empty.hidden = listing.runs.length > 0 || listing.ablations.length > 0;
    const advice = 'yet: `agentgym train quickstart` starts one, and it appears here.';
    replaceChildren(empty, ...codeText(`No run in ${listing.folder} ${advice}`));
    damaged.hidden = listing.unreadable.length === 0;
    replaceChildren(damaged, ...unreadableText(listing.unreadable));
    ablations.update(listing.ablations);
    ablationSection.hidden = listing.ablations.length === 0;
    document.title = `${running > 0 ? `▶ ${running} running` : 'Runs'} · agentgym`;
    drawChoice();
    fitTables(root);
  };
  // Ages grow even if nothing else happens.
  setInterval(() => {
    for (const row of rows.made()) row.age();
  }, 10_000);
  replaceChildren(
    root,
    element('nav', { 'aria-label': 'agentgym' }, frame.home, frame.aside),
    element(
      'main',
      element(
        'section',
        { id: 'runs', 'aria-labelledby': 'runs-title' },
        element('div.section-head', element('h1.list-title', { id: 'runs-title' }, 'Runs'), search, compare),
        found,
        empty,
        damaged,
        head.menu,
        table,
        more,
      ),
      ablationSection,
      element('p.explain', `agentgym ${listing.version}`),
    ),
  );
  draw();
  keepTablesFitting();
  return (newer) => {
    listing = newer;
    draw();
  };
}

/** The name first, then the differing settings, the status, and the results. */
function columnsOf(runs: readonly ListedRun[]): SortableColumn<ListedRun>[] {
  // The column `success` already shows the lowest temperature.
  const [, ...warmer] = successColumns(runs);
  return [
    {
      title: 'run',
      className: 'text',
      cell: ({ name, recipe }) => name ?? recipe,
      value: ({ name, recipe, createdAt }) => `${name ?? recipe} ${createdAt}`,
    },
    { title: 'seed', cell: ({ seed }) => String(seed), value: ({ seed }) => seed },
    ...settingColumns(runs),
    statusColumn,
    { title: 'steps', className: 'text', first: 'descending', cell: standCell, value: ({ steps }) => steps },
    timeColumn,
    { title: 'success', first: 'descending', cell: latestCell, value: ({ success }) => success?.rate ?? null },
    ...warmer,
  ];
}

/** Thousands of rows take seconds to draw, and a reader searches among so many. */
const rowsAtOnce = 200;

/** The most folders that are named. */
const mostUnreadable = 50;

function unreadableText(unreadable: RunsListing['unreadable']): HTMLElement[] {
  const all = unreadable.length;
  const more = all > mostUnreadable ? [element('p', `and ${count(all - mostUnreadable)} more`)] : [];
  return [
    element('summary', `${count(all)} ${all === 1 ? 'folder of a run' : 'folders of runs'} cannot be read`),
    ...unreadable.slice(0, mostUnreadable).map(({ folder, why }) => element('p', `${folder}: ${why}`)),
    ...more,
  ];
}

function foundText({ runs, folder }: RunsListing, shown: number, running: number): string {
  const all = shown === runs.length ? `${count(shown)}` : `${count(shown)} of ${count(runs.length)}`;
  return `${all} ${runs.length === 1 ? 'run' : 'runs'} in ${folder}${running > 0 ? `, ${count(running)} running` : ''}`;
}
