import type { CheckOutcome } from '../testing/conformance-kit.js';
import type { CheckMessage } from './check-messages.js';

/** A failure with the defaults usually repeats with other options, so these are enough. */
const enough = 5;

/**
 * One outcome per check, over all tested option sets. Findings with other options than the defaults name these options.
 */
export function mergeOutcomes(messages: readonly CheckMessage[]): CheckOutcome[] {
  const merged = new Map<string, CheckOutcome>();
  for (const message of messages) {
    if (message.type !== 'finished') continue;
    const { outcome, label } = message;
    const named = outcome.findings.map((finding) => {
      return label === undefined ? finding : { ...finding, message: `with ${label}: ${finding.message}` };
    });
    const before = merged.get(outcome.id) ?? { ...outcome, findings: [], seconds: 0 };
    const status = (['failed', 'passed', 'skipped'] as const).find((one) =>
      [before.status, outcome.status].includes(one),
    )!;
    const findings = before.findings.length >= enough ? before.findings : [...before.findings, ...named];
    const seconds = (before.seconds ?? 0) + (outcome.seconds ?? 0);
    const reason = status === 'skipped' ? (before.reason ?? outcome.reason) : undefined;
    const { id } = outcome;
    merged.set(id, { id, status, findings, ...(seconds > 0 && { seconds }), ...(reason !== undefined && { reason }) });
  }
  return [...merged.values()];
}
