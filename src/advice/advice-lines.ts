import { wrapText } from '../reporting/display-text.js';
import { paint, type TerminalStyle } from '../reporting/terminal-style.js';
import { type Advice, type Basis, type Finding } from './advice.js';

/** Longer lines are hard to read. */
const widest = 100;

const sure: Record<Basis, string> = {
  paper: "the paper's figures",
  ours: 'our figures',
  both: "the paper's figures and ours",
};

/** Advice for a reader. Commands stay on one line, so that they can be copied. */
export function adviceLines(
  { subject, kind, findings, fine, notChecked, next }: Advice,
  style: TerminalStyle,
): string[] {
  const width = Math.min(style.width, widest);
  const wrapped = (text: string, indent: string, first = indent) =>
    wrapText(text, width - indent.length).map((line, index) => `${index === 0 ? first : indent}${line}`);
  const noted = (name: string, text: string) => wrapped(`${name}: ${text}`, '      ', '    ');
  const heading = (text: string) => ['', paint(text, 'bold', style)];

  const told = (finding: Finding): string[] => [
    ...heading(
      `${finding.severity === 'problem' ? 'Problem' : finding.severity === 'advice' ? 'Advice' : 'Hint'}: ${finding.rule}`,
    ),
    ...wrapped(finding.finding, '  '),
    ...noted('measured', finding.evidence),
    ...noted('source', `${finding.source} (${sure[finding.basis]})`),
    ...(finding.cures ?? []).flatMap((cure, index) => wrapped(cure, '       ', `    ${index + 1}. `)),
    ...(finding.guide === undefined ? [] : [`    more: ${finding.guide}`]),
    ...(finding.change === undefined ? [] : [`    change: ${paint(finding.change, 'cyan', style)}`]),
    ...(finding.ablate === undefined ? [] : [`    test it: ${paint(finding.ablate, 'cyan', style)}`]),
  ];
  const byWhy = new Map<string, string[]>();
  for (const { rule, why } of notChecked) byWhy.set(why, [...(byWhy.get(why) ?? []), rule]);
  return [
    ...wrapped(
      `${kind} ${subject}: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}, ${fine.length} checked and fine, ${notChecked.length} not checked`,
      '',
    ),
    ...findings.flatMap(told),
    ...(fine.length === 0 ? [] : heading('Checked and fine')),
    ...fine.flatMap(({ rule, fact }) => wrapped(`${rule}: ${fact}`, '    ', '  ')),
    ...(notChecked.length === 0 ? [] : heading('Not checked')),
    ...[...byWhy].flatMap(([why, rules]) => wrapped(`${rules.join(', ')}: ${why}`, '    ', '  ')),
    ...(next === undefined ? [] : ['', `Next: ${paint(next, 'cyan', style)}`]),
  ];
}
