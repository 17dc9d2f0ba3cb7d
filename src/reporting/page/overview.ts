import type { ReportData, ReportStatus } from '../report-data.js';
import { codeText } from './code-text.js';
import { element } from './element.js';
import { statusBadge } from './status-badge.js';

/** A longer answer has a smaller font: the reader must see the results below it. */
const longAnswer = 240;

/** The head of the page: question, answer, and origin. */
export function overview(data: ReportData): HTMLElement {
  const [only] = data.runs;
  const [status, told] = statusOf(data);
  const failed = data.kind === 'ablation' ? [] : data.runs.filter(({ failure }) => failure !== undefined);
  const kinds = { run: 'Run', comparison: 'Comparison', ablation: 'Ablation' } as const;
  return element(
    'header.overview',
    element('p.eyebrow', `${kinds[data.kind]} `, element('b', data.title), statusBadge(status, told)),
    element('h1', data.question),
    element('p', { class: data.answer.length > longAnswer ? 'answer long' : 'answer' }, ...codeText(data.answer)),
    ...failed.map(({ label, failure }) => element('p.warning', ...codeText(`${label} failed: ${failure}`))),
    ...data.notes.map((note) => element('p.note', ...codeText(note))),
    data.kind === 'run' &&
      only !== undefined &&
      element(
        'dl.facts',
        ...only.summary.map(([name, value]) => element('div', element('dt', name), element('dd', value))),
      ),
  );
}

/** The status of a run, or the number of finished runs of an ablation. */
function statusOf({ kind, runs, cells }: ReportData): readonly [status: ReportStatus | '', text: string] {
  const [only] = runs;
  if (kind === 'run' && only !== undefined) return [only.status, only.status];
  const running = runs.some(({ status }) => status === 'running');
  if (kind === 'comparison') return [running ? 'running' : '', `${runs.length} runs`];
  const wanted = cells.reduce((sum, { seeds }) => sum + seeds.length, 0);
  const complete = runs.filter(({ status }) => status === 'completed').length;
  return [running ? 'running' : complete === wanted ? 'completed' : '', `${complete} of ${wanted} runs complete`];
}
