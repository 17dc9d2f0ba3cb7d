import type { ReportData } from '../report-data.js';
import type { ProcessLoad, SystemLoad } from '../live-data.js';
import type { ConnectionState } from './connection.js';
import { element, replaceChildren } from './element.js';
import { number, formatShare } from '../format-quantity.js';

const words: { readonly [state in ConnectionState]: string } = {
  connecting: 'connecting …',
  live: 'live',
  lost: 'connection lost, trying again',
  refused: 'the server has a new token: open the address it printed',
  paused: 'paused',
};

/** The end of the bar: whether the page is live, and the load of the machine. */
export function liveStatus() {
  const state = element('span.live', { role: 'status' });
  const load = element('span.load');
  return {
    node: element('span.aside.fine', load, state),
    connection: (now: ConnectionState) => {
      state.className = `live ${now}`;
      state.textContent = words[now];
      load.classList.toggle('stale', now !== 'live');
    },
    load: (sample: SystemLoad) => {
      replaceChildren(load, ...loadParts(sample));
      load.title = loadTitle(sample);
    },
  };
}

function loadParts({ cores, busy, average, memory, processes }: SystemLoad): (HTMLElement | false)[] {
  return [
    meter('cpu', busy, busy === null ? `${cores} cores` : `${formatShare(busy, 0)} of ${cores} cores`),
    average !== null && element('span.meter', 'load ', element('b', number(average[0], 1))),
    meter('memory', memory.used / memory.total, `${bytes(memory.used)} of ${bytes(memory.total)}`),
    processes.length > 0 && element('span.meter', 'training ', element('b', ownProcesses(processes))),
  ];
}

function meter(name: string, share: number | null, text: string): HTMLElement {
  const bar = element('span');
  bar.style.width = `${100 * Math.min(1, Math.max(0, share ?? 0))}%`;
  return element('span.meter', `${name} `, element('span.gauge', { 'aria-hidden': 'true' }, bar), element('b', text));
}

/** "1.9 cores, 410 MB": the sum over processes. The first sample has no cores. */
function ownProcesses(processes: readonly ProcessLoad[]): string {
  const known = processes.flatMap(({ cores }) => cores ?? []);
  const memory = bytes(processes.reduce((sum, process) => sum + process.memory, 0));
  const cores = known.reduce((sum, value) => sum + value, 0);
  return known.length === 0 ? memory : `${number(cores, 1)} cores, ${memory}`;
}

function loadTitle({ average, processes }: SystemLoad): string {
  const means = average?.map((value) => number(value, 2)).join(', ');
  const each = processes.map(
    ({ run, pid, cores, memory }) =>
      `run ${run}: process ${pid}, ${cores === null ? '' : `${number(cores, 2)} cores, `}${bytes(memory)}`,
  );
  const whole = means === undefined ? [] : [`load average over 1, 5 and 15 minutes: ${means}`];
  return [...whole, ...each].join('\n');
}

function bytes(value: number): string {
  return value >= 1e9 ? `${number(value / 1e9, 1)} GB` : `${number(value / 1e6, 0)} MB`;
}

/** The processes of a report's runs. The `run` of a process is the key in the list, which begins with the run's id. */
export function ofReport(load: SystemLoad, { runs }: ReportData): SystemLoad {
  const isOwn = ({ run }: ProcessLoad) => runs.some(({ id }) => run === id || run.startsWith(`${id}-`));
  return { ...load, processes: load.processes.filter(isOwn) };
}
