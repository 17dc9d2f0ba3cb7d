import type { ReportData } from '../report-data.js';
import { curvesSection } from './curves.js';
import { element, replaceChildren } from './element.js';
import { followAddress } from './fragment.js';
import { fitTables, keepTablesFitting } from './fit-tables.js';
import { markOverflow } from './mark-overflow.js';
import { overview } from './overview.js';
import { recipeSection } from './recipe.js';
import { replacePart } from './replace-part.js';
import { runsSection } from './runs-section.js';
import { shortcuts, type Shortcut } from './shortcuts.js';
import { spreadSection } from './spread-section.js';
import { tasksSection } from './tasks-section.js';
import { adviceSection, costsSection, resultsSection } from './told-sections.js';
import { trajectoriesSection } from './trajectories.js';

/** What a live page adds around a report. */
export interface ReportFrame {
  /** The link back, at the beginning of the bar. */
  readonly home: HTMLElement;
  /** At the end of the bar: whether it is live. */
  readonly aside: HTMLElement;
  /** Address of a run's page by its id. */
  readonly runAddress: (id: string) => string;
}

/** Draws a part of the page when it has something to show, and again when that changed. */
type Part = (data: ReportData) => HTMLElement | undefined;

/**
 * Draws a report into an element. Returns a function that draws newer data. It redraws only what changed, and keeps the
 * reader's choices and everything that is open.
 */
export function drawReport(root: HTMLElement, first: ReportData, frame?: ReportFrame): (data: ReportData) => void {
  const placed = new Set<object>();
  const curves = kept(curvesSection);
  const tasks = kept((data) => tasksSection(data, (task) => episodes.section()?.openTask(task)));
  const episodes = kept(trajectoriesSection);
  const parts: readonly Part[] = [
    redrawn(overview, ({ runs, createdAt: _, ...rest }) => ({
      ...rest,
      runs: runs.map(({ label, status, failure, summary }) => [label, status, failure, summary]),
    })),
    redrawn(
      (data) => resultsSection(data, frame?.runAddress),
      ({ cells, comparisons, effects, gains, runs, transfer }) => ({
        ...{ cells, comparisons, effects, gains, transfer },
        runs: runs.map(({ id, cell, evaluations }) => [id, cell, evaluations.filter(({ final }) => final)]),
      }),
    ),
    kept((data) => runsSection(data, frame?.runAddress)).draw,
    curves.draw,
    tasks.draw,
    redrawn(costsSection, ({ cells, runs }) => [
      cells.map(({ label, spent }) => [label, spent]),
      runs.map(({ stages, spent }) => [stages, spent]),
    ]),
    kept(spreadSection).draw,
    episodes.draw,
    redrawn(adviceSection, ({ runs }) => runs.map(({ advice }) => advice)),
    redrawn(recipeSection, ({ runs }) => runs.map(({ id, label, recipe, repeat }) => [id, label, recipe, repeat])),
  ];
  const keys = () => [...axisKeys(curves.section()), ...episodeKeys(episodes.section())];
  const { dialog, open } = shortcuts(keys);
  const help = element('button.quiet', { type: 'button', 'aria-label': 'Keys', title: 'Keys', onclick: open }, '?');
  const links = element('span.links');
  markOverflow(links);
  const main = element('main');
  const home = frame?.home ?? element('span.brand', 'agentgym');
  const nav = element('nav', { 'aria-label': 'Sections' }, home, links, frame?.aside, help);
  replaceChildren(root, nav, main, dialog);
  const nodes: (HTMLElement | undefined)[] = [];
  const update = (data: ReportData) => {
    let isOther = false;
    for (const [i, draw] of parts.entries()) {
      const [made, known] = [draw(data), nodes[i]];
      if (made === known) continue;
      isOther = true;
      // A new part goes after the last existing part before it.
      const earlier = nodes.slice(0, i).findLast((node) => node !== undefined);
      if (made === undefined) known?.remove();
      else if (known !== undefined) replacePart(known, made);
      else if (earlier === undefined) main.prepend(made);
      else earlier.after(made);
      nodes[i] = made;
    }
    if (isOther) linkTo(links, nodes);
    fitTables(main);
    // A section takes its place from the address once, when it is drawn first.
    for (const section of [tasks.section(), episodes.section(), curves.section()]) {
      if (section === undefined || placed.has(section)) continue;
      placed.add(section);
      section.follow();
    }
  };
  followAddress();
  update(first);
  keepTablesFitting();
  return update;
}

/** A section with reader state: created once, then updated with newer data. */
interface Section {
  readonly node: HTMLElement;
  readonly update: (data: ReportData) => void;
}

function kept<Own extends Section>(make: (data: ReportData) => Own | undefined) {
  let section: Own | undefined;
  const draw: Part = (data) => {
    if (section === undefined) section = make(data);
    else section.update(data);
    return section?.node;
  };
  return { draw, section: () => section };
}

/** A part without reader state: drawn again when its data changed. */
function redrawn(draw: (data: ReportData) => HTMLElement | undefined, shows: (data: ReportData) => unknown): Part {
  let shown = '';
  let node: HTMLElement | undefined;
  return (data) => {
    const text = JSON.stringify(shows(data));
    if (text !== shown) node = draw(data);
    shown = text;
    return node;
  };
}

/** Updates the links to the sections if they changed. */
function linkTo(links: HTMLElement, nodes: readonly (HTMLElement | undefined)[]): void {
  const sections = nodes.flatMap((node) => (node?.matches('section') === true ? [node] : []));
  const wanted = sections.map((section) => `#${section.id}`);
  if ([...links.children].map((link) => link.getAttribute('href')).join() === wanted.join()) return;
  replaceChildren(
    links,
    ...sections.map((section) =>
      element('a', { href: `#${section.id}` }, section.querySelector('h2')?.textContent ?? ''),
    ),
  );
}

function axisKeys(curves: ReturnType<typeof curvesSection>): Shortcut[] {
  return curves === undefined ? [] : [{ key: 'x', does: 'next horizontal axis', run: curves.switchAxis }];
}

function episodeKeys(episodes: ReturnType<typeof trajectoriesSection>): Shortcut[] {
  if (episodes === undefined) return [];
  return [
    { key: '/', does: 'search episodes', run: episodes.focusSearch },
    { key: 'j', does: 'next episode', run: () => episodes.move(1) },
    { key: 'k', does: 'previous episode', run: () => episodes.move(-1) },
    { key: 't', does: 'next measure for token colours', run: episodes.nextMeasure },
    { key: 'c', does: 'compare with another episode of the task', run: episodes.toggleComparison },
  ];
}
