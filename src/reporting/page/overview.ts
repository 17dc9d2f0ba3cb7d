import type { ReportData } from '../report-data.js';
import { element } from './element.js';

/** The head of the page: what was asked, what came out, and what it was made from. */
export function overview(data: ReportData): HTMLElement {
  const [only] = data.runs;
  const status = data.kind === 'run' && only !== undefined ? only.status : `${data.runs.length} runs`;
  const kinds = { run: 'Run', comparison: 'Comparison', ablation: 'Ablation' } as const;
  return element(
    'header',
    { class: 'overview' },
    element(
      'p',
      { class: 'eyebrow' },
      `${kinds[data.kind]} `,
      element('b', {}, data.title),
      element('span', { class: `status ${data.kind === 'run' ? status : ''}` }, status),
    ),
    element('h1', {}, data.question),
    element('p', { class: 'answer' }, data.answer),
    ...data.runs.flatMap(({ label, failure }) =>
      failure === undefined || data.kind === 'ablation'
        ? []
        : [element('p', { class: 'warning' }, `${label} failed: ${failure}`)],
    ),
    ...data.notes.map((note) => element('p', { class: 'note' }, note)),
    data.kind === 'run' &&
      only !== undefined &&
      element(
        'dl',
        { class: 'facts' },
        ...only.summary.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
      ),
  );
}
