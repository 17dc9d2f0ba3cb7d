import type { ReportCell, ReportData, ReportRun } from '../report-data.js';
import { element } from './element.js';
import { costColumns, settingColumns, successColumns, type RunFacts } from './run-columns.js';
import { sortableTable } from './sortable-table.js';

interface Row {
  readonly run: ReportRun;
  readonly facts: RunFacts;
}

/** A section that a reader can sort; new data are sorted in the chosen order. */
export interface RunsSection {
  readonly node: HTMLElement;
  readonly update: (data: ReportData) => void;
}

/** The single runs of a comparison or an ablation. Undefined for one run. */
export function runsSection(first: ReportData, runAddress?: (id: string) => string): RunsSection | undefined {
  if (first.runs.length < 2) return undefined;
  const table = sortableTable<Row>('Runs with their settings and their success', 'order of the settings');
  let seen = '';
  const update = ({ runs, cells }: ReportData) => {
    const rows = runs.map((run) => ({ run, facts: factsOf(run, cells) }));
    // Unchanged rows are not drawn again, so the focus stays.
    const now = JSON.stringify(
      rows.map(({ run: { id, label, name, status }, facts: own }) => [id, label, name, status, own]),
    );
    if (now === seen) return;
    seen = now;
    const facts = ({ facts: own }: Row) => own;
    table.update(
      [
        {
          title: 'run',
          className: 'text',
          cell: ({ run }) => {
            const { id, label } = run;
            const title = runAddress === undefined ? label : element('a', { href: runAddress(id) }, label);
            // Runs of an ablation have the name of their cell.
            if (run.name === undefined || run.name === label) return title;
            return element('span', title, element('p.remark', `${run.name} (${id})`));
          },
          value: ({ run }) => run.label,
        },
        ...settingColumns(rows, facts),
        ...successColumns(rows, facts),
        ...costColumns(facts),
        {
          title: 'status',
          className: 'text',
          cell: ({ run: { status } }) => element('span', { class: `status ${status}` }, status),
          value: ({ run }) => run.status,
        },
      ],
      rows,
    );
  };
  update(first);
  const node = element(
    'section',
    { id: 'all-runs', 'aria-labelledby': 'all-runs-title' },
    element('div.section-head', element('h2', { id: 'all-runs-title' }, 'Runs')),
    table.node,
    element('p.explain', 'The 95 % intervals cover other tasks, not other seeds.'),
  );
  return { node, update };
}

function factsOf(
  { seed, cell, summary, evaluations, stages, spent }: ReportRun,
  cells: readonly ReportCell[],
): RunFacts {
  const finals = evaluations.filter(
    ({ final, player, environment }) => final && player === 'policy' && environment === undefined,
  );
  return {
    seed,
    algorithm: summary.find(([name]) => name === 'algorithm')?.[1].split(',')[0] ?? '',
    settings: cells.find(({ id }) => id === cell)?.settings ?? {},
    finals: finals.map(({ temperature, success: { rate, low, high } }) => ({ temperature, rate, low, high })),
    steps: stages.reduce((sum, { steps }) => sum + steps, 0),
    seconds: spent['seconds'] ?? 0,
  };
}
