// The page that `agentgym ui` serves at every address: the list of runs, or a report that follows its runs. See
// ../live-data.ts.
import type { ReportUpdate, RunsListing, ServerProblem, SystemLoad } from '../live-data.js';
import type { ReportData } from '../report-data.js';
import { reportAssembler } from './assemble-report.js';
import { connect } from './connection.js';
import { drawReport } from './draw-report.js';
import { drawRuns } from './draw-runs.js';
import { element, replaceChildren } from './element.js';
import { keepPlace } from './keep-place.js';
import { liveStatus, ofReport } from './live-status.js';
import { addressIn } from './address.js';

function follow(root: HTMLElement): void {
  const status = liveStatus();
  const home = element('a.brand', { href: addressIn('/') }, 'agentgym');
  const problem = element('p.warning.problem', { role: 'alert', hidden: true });
  const runAddress = (id: string) => addressIn(`/runs/${encodeURIComponent(id)}`);
  const frame = { home, aside: status.node, runAddress };
  // Shown until the first answer.
  replaceChildren(root, element('nav', home, status.node), element('main', problem));

  const assemble = reportAssembler();
  let report: ReportData | undefined;
  /** Draws the first data that arrive, and changes the page for newer ones. */
  const shown = <Data>(draw: (first: Data) => (newer: Data) => void) => {
    let update: ((newer: Data) => void) | undefined;
    return (data: Data) => {
      problem.hidden = true;
      const change = update;
      if (change === undefined) update = draw(data);
      else keepPlace(() => change(data));
      const main = root.querySelector('main');
      if (main !== problem.parentElement) main?.prepend(problem);
    };
  };
  const showRuns = shown((runs: RunsListing) => drawRuns(root, runs, frame));
  const showReport = shown((data: ReportData) => {
    const update = drawReport(root, data, frame);
    // The target of the address exists only after drawing.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
    return update;
  });
  connect({
    address: `/events${location.pathname}${location.search}`,
    on: {
      report: (data) => {
        report = assemble(data as ReportUpdate);
        showReport(report);
        document.title = `${titleOf(report)} · agentgym`;
      },
      runs: (data) => showRuns(data as RunsListing),
      load: (data) => status.load(report === undefined ? (data as SystemLoad) : ofReport(data as SystemLoad, report)),
      problem: (data) => {
        replaceChildren(problem, `New data cannot be read: ${(data as ServerProblem).message}`);
        problem.hidden = false;
      },
    },
    onState: status.connection,
  });
}

/** Marks a running report, so that readers find it among browser tabs. */
function titleOf({ title, runs }: ReportData): string {
  return runs.some(({ status }) => status === 'running') ? `▶ ${title}` : title;
}

const root = document.getElementById('report');
if (root !== null) follow(root);
