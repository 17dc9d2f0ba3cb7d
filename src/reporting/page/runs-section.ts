import type { ReportCell, ReportData, ReportRun } from '../report-data.js';
import { count } from '../format-quantity.js';
import { element } from './element.js';
import { settingColumns, statusColumn, successColumns, timeColumn, type RunFacts } from './run-columns.js';
import { section } from './section.js';
import { sortableTable } from './sortable-table.js';

type Row = RunFacts & Pick<ReportRun, 'id' | 'label'> & { readonly name: string | undefined };

/**
 * The single runs of a comparison or an ablation. A reader can sort them; new data are sorted in the chosen order.
 * Undefined for one run.
 */
export function runsSection(first: ReportData, runAddress?: (id: string) => string) {
  if (first.runs.length < 2) return undefined;
  const table = sortableTable<Row>('Runs with their settings and their success', 'order of the settings');
  let seen = '';
  const update = ({ runs, cells }: ReportData) => {
    const rows = runs.map((run) => rowOf(run, cells));
    // Unchanged rows are not drawn again, so the focus stays.
    const now = JSON.stringify(rows);
    if (now === seen) return;
    seen = now;
    table.update(
      [
        {
          title: 'run',
          className: 'text',
          cell: ({ id, label, name }) => {
            const title = runAddress === undefined ? label : element('a', { href: runAddress(id) }, label);
            // Runs of an ablation have the name of their cell.
            if (name === undefined || name === label) return title;
            return element('span', title, element('p.remark', `${name} (${id})`));
          },
          value: ({ label }) => label,
        },
        ...settingColumns(rows),
        ...successColumns(rows),
        { title: 'steps', cell: ({ steps }) => count(steps), value: ({ steps }) => steps },
        timeColumn,
        statusColumn,
      ],
      rows,
    );
  };
  update(first);
  const explain = element('p.explain', 'The 95 % intervals cover other tasks, not other seeds.');
  return { node: section('all-runs', 'Runs', [], table.node, explain), update };
}

function rowOf(run: ReportRun, cells: readonly ReportCell[]): Row {
  const { id, label, name, status, seed, cell, summary, evaluations, stages, spent } = run;
  const finals = evaluations.filter(
    ({ final, player, environment }) => final && player === 'policy' && environment === undefined,
  );
  return {
    ...{ id, label, name, status, seed },
    algorithm: summary.find(([name]) => name === 'algorithm')?.[1].split(',')[0] ?? '',
    settings: cells.find(({ id }) => id === cell)?.settings ?? {},
    finals: finals.map(({ temperature, success: { rate, low, high } }) => ({ temperature, rate, low, high })),
    steps: stages.reduce((sum, { steps }) => sum + steps, 0),
    seconds: spent['seconds'] ?? 0,
  };
}
