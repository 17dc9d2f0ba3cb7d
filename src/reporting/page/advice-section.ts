import type { ReportAdvice, ReportData } from '../report-data.js';
import { codeText } from './code-text.js';
import { commandLine } from './command-line.js';
import { element } from './element.js';

/** The advice of `agentgym advise` for the run. Undefined without advice. */
export function adviceSection({ runs }: ReportData): HTMLElement | undefined {
  const [only] = runs;
  if (runs.length !== 1 || only?.advice === undefined) return undefined;
  const { findings, fine, notChecked } = only.advice;
  const folded = (title: string, rows: readonly (readonly [rule: string, text: string])[]) =>
    rows.length > 0 &&
    element(
      'details',
      {},
      element('summary', {}, `${title} (${rows.length})`),
      element(
        'dl',
        { class: 'facts-list' },
        ...rows.map(([rule, text]) =>
          element('div', {}, element('dt', {}, rule), element('dd', {}, ...codeText(text))),
        ),
      ),
    );
  return element(
    'section',
    { id: 'advice', 'aria-labelledby': 'advice-title' },
    element('div', { class: 'section-head' }, element('h2', { id: 'advice-title' }, 'Advice')),
    ...(findings.length === 0
      ? [element('p', {}, 'The checks found no problem with this run.')]
      : findings.map(findingBlock)),
    folded(
      'Checked and fine',
      fine.map(({ rule, fact }) => [rule, fact]),
    ),
    folded(
      'Not checked',
      notChecked.map(({ rule, why }) => [rule, why]),
    ),
    element(
      'p',
      { class: 'explain' },
      ...codeText(
        `These checks read only the log and the evaluations. \`agentgym advise ${only.id}\` also plays training tasks and checks more.`,
      ),
    ),
  );
}

function findingBlock(told: ReportAdvice['findings'][number]): HTMLElement {
  const { rule, severity, finding, evidence, source, cures = [], guide, change, ablate } = told;
  return element(
    'article',
    { class: `finding ${severity}` },
    element('p', { class: 'eyebrow' }, element('b', {}, severity), rule),
    element('p', {}, ...codeText(finding)),
    element('p', { class: 'remark' }, ...codeText(`Measured: ${evidence}`)),
    element('p', { class: 'remark' }, ...codeText(`Source: ${source}`)),
    cures.length > 0 && element('ol', { class: 'cures' }, ...cures.map((cure) => element('li', {}, ...codeText(cure)))),
    guide !== undefined && element('p', { class: 'remark' }, ...codeText(`More: \`${guide}\``)),
    change !== undefined && commandLine('Change', change),
    ablate !== undefined && commandLine('Test it', ablate),
  );
}
