import { paint, type TerminalStyle } from '../reporting/terminal-style.js';
import type { CheckOutcome } from '../testing/conformance-kit.js';
import type { PluginReport } from './check-plugin.js';

/** A report for people: one line for each part, then its problems and how to repair them. */
export function pluginReportLines(report: PluginReport, style: TerminalStyle): string[] {
  const parts = [
    { title: 'package and entry', checks: report.checks },
    ...report.contributions.map(({ kind, name, checks }) => ({ title: `${kind} ${name}`, checks })),
  ];
  const lines = [paint(`${report.plugin} ${report.version}`, 'bold', style), ''];
  for (const { title, checks } of parts) {
    const of = (status: CheckOutcome['status']): number => checks.filter((check) => check.status === status).length;
    const skipped = of('skipped') === 0 ? '' : `, ${of('skipped')} skipped`;
    const verdict =
      of('failed') === 0 ? paint('passed', 'green', style) : paint(`${of('failed')} failed`, 'red', style);
    lines.push(`${title}: ${verdict} (${checks.length} checks${skipped})`);
    for (const { id, findings } of rootsFirst(checks)) {
      const [first] = findings;
      if (first === undefined) continue;
      lines.push(`  ${paint(id, first.severity === 'error' ? 'red' : 'cyan', style)}: ${first.title}`);
      for (const { message } of findings.slice(0, 5)) lines.push(`    ${message}`);
      if (findings.length > 5) lines.push(`    and ${findings.length - 5} more`);
      lines.push(`    Repair: ${first.cure}`);
    }
  }
  lines.push('', report.passed ? 'All checks passed.' : 'Some checks failed. docs/conformance.md explains them.');
  return lines;
}

/** If one of these checks fails, most other failures are consequences: repeated episodes differ. */
const roots = ['create', 'global-random', 'clock', 'global-state', 'hidden-state', 'deterministic'];

/** Errors before warnings, and causes before their consequences; otherwise in the original order. */
function rootsFirst(checks: readonly CheckOutcome[]): CheckOutcome[] {
  const rank = ({ id, status }: CheckOutcome): number => {
    if (status !== 'failed') return roots.length + 1;
    const place = roots.indexOf(id);
    return place < 0 ? roots.length : place;
  };
  return [...checks].sort((a, b) => rank(a) - rank(b));
}
