import { paint, type TerminalStyle } from '../reporting/terminal-style.js';
import type { CheckOutcome } from '../testing/conformance-kit.js';
import type { PluginReport } from './check-plugin.js';

/** A report for a person: what is wrong, why it matters and how to mend it, then one line for each part. */
export function pluginReportLines(report: PluginReport, style: TerminalStyle): string[] {
  const parts = [
    { title: 'package and entry', checks: report.checks },
    ...report.contributions.map(({ kind, name, checks, stepsPerSecond }) => ({
      title: `${kind} ${name}${stepsPerSecond === undefined ? '' : `, ${stepsPerSecond.toLocaleString('en')} steps/s`}`,
      checks,
    })),
  ];
  const lines = [paint(`${report.plugin} ${report.version}`, 'bold', style), ''];
  for (const { title, checks } of parts) {
    const of = (status: CheckOutcome['status']): number => checks.filter((check) => check.status === status).length;
    const skipped = of('skipped') === 0 ? '' : `, ${of('skipped')} skipped`;
    const verdict =
      of('failed') === 0 ? paint('passed', 'green', style) : paint(`${of('failed')} failed`, 'red', style);
    lines.push(`${title}: ${verdict} (${checks.length} checks${skipped})`);
    for (const { id, findings } of checks) {
      const [first] = findings;
      if (first === undefined) continue;
      lines.push(`  ${paint(id, first.severity === 'error' ? 'red' : 'cyan', style)}`);
      for (const { message } of findings.slice(0, 5)) lines.push(`    ${message}`);
      if (findings.length > 5) lines.push(`    and ${findings.length - 5} more`);
      lines.push(`    Why:   ${first.why}`, `    Often: ${first.likelyCause}`, `    Cure:  ${first.cure}`);
    }
  }
  lines.push(
    '',
    report.passed ? 'Every check holds.' : 'Some checks do not hold. What each one guards: docs/conformance.md',
  );
  return lines;
}
