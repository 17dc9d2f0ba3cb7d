// The page of a report. All of it is drawn from the JSON in the document: see ../report-data.ts.
import type { ReportData } from '../report-data.js';
import { curvesSection } from './curves.js';
import { element, replaceChildren } from './element.js';
import { overview } from './overview.js';
import { recipeSection } from './recipe.js';
import { resultsSection } from './results.js';
import { shortcuts, type Shortcut } from './shortcuts.js';
import { spendingSection } from './spending.js';
import { trajectoriesSection } from './trajectories.js';

/** Draws a report into an element. */
function drawReport(root: HTMLElement, data: ReportData): void {
  const curves = curvesSection(data);
  const trajectories = trajectoriesSection(data);
  const keys: Shortcut[] = [
    ...(curves === undefined ? [] : [{ key: 'x', does: 'next horizontal axis', run: curves.switchAxis }]),
    ...(trajectories === undefined
      ? []
      : [
          { key: '/', does: 'search episodes', run: trajectories.focusSearch },
          { key: 'j', does: 'next episode', run: () => trajectories.move(1) },
          { key: 'k', does: 'episode before', run: () => trajectories.move(-1) },
          { key: 't', does: 'colour tokens by the next measure', run: trajectories.nextMeasure },
          { key: 'c', does: 'set another play of the task beside', run: trajectories.toggleComparison },
        ]),
  ];
  const { dialog, open } = shortcuts(keys);
  const sections = [resultsSection(data), curves?.node, spendingSection(data), trajectories?.node, recipeSection(data)];
  const links = sections.flatMap((section) =>
    section === undefined
      ? []
      : [element('a', { href: `#${section.id}` }, section.querySelector('h2')?.textContent ?? '')],
  );
  const help = element('button', { type: 'button', class: 'quiet', 'aria-label': 'Keys', title: 'Keys' }, '?');
  help.addEventListener('click', open);
  replaceChildren(
    root,
    element('nav', { 'aria-label': 'Sections' }, element('span', { class: 'brand' }, 'agentgym'), ...links, help),
    element('main', {}, overview(data), ...sections),
    dialog,
  );
}

const [root, source] = [document.getElementById('report'), document.getElementById('report-data')];
if (root !== null && source !== null) drawReport(root, JSON.parse(source.textContent) as ReportData);
