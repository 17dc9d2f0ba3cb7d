import type { ReportAdvice } from '../report-data.js';
import { facts, heading, paragraph, type Block, type Fact } from './block.js';

const bases = { paper: "the paper's figures", ours: 'our figures', both: "the paper's figures and ours" } as const;
const severities = { problem: 'Problem', advice: 'Advice', hint: 'Hint' } as const;

/** Findings, the worst first, then what was fine and what could not be checked. */
export function adviceBlocks({ findings, fine, notChecked }: ReportAdvice): Block[] {
  const reasons = [...new Set(notChecked.map(({ why }) => why))];
  return [
    ...findings.flatMap(
      ({ rule, severity, finding, evidence, source, basis, cures = [], guide, change, ablate }): Block[] => [
        heading(`${severities[severity]}: ${rule}`),
        paragraph(finding),
        facts(
          ['measured', evidence],
          ['source', `${source} (${bases[basis]})`],
          ...cures.map((cure, i): Fact => [`cure ${i + 1}`, cure]),
          ['more', guide],
          ['change', change && `\`${change}\``],
          ['test it', ablate && `\`${ablate}\``],
        ),
      ],
    ),
    ...folded(
      'Checked and fine',
      fine.map(({ rule, fact }) => `${rule}: ${fact}`),
    ),
    ...folded(
      'Not checked',
      reasons.map((reason) => {
        const rules = notChecked.filter(({ why }) => why === reason).map(({ rule }) => rule);
        return `${rules.join(', ')}: ${reason}`;
      }),
    ),
  ];
}

function folded(title: string, items: readonly string[]): Block[] {
  return items.length === 0
    ? []
    : [{ kind: 'folded', title: `${title} (${items.length})`, blocks: [{ kind: 'list', items }] }];
}
