import type { CheckOutcome } from '../testing/conformance-kit.js';
import type { CheckMessage } from './check-messages.js';

/**
 * One outcome per check, over all tested option sets. Findings with other options than the defaults name these options.
 */
export function mergeOutcomes(messages: readonly CheckMessage[]): CheckOutcome[] {
  const merged = new Map<string, CheckOutcome>();
  for (const message of messages) {
    if (message.type !== 'finished') continue;
    const { outcome, label } = message;
    const findings =
      label === undefined
        ? outcome.findings
        : outcome.findings.map((finding) => ({ ...finding, message: `with ${label}: ${finding.message}` }));
    const before = merged.get(outcome.id);
    merged.set(outcome.id, before === undefined ? { ...outcome, findings } : join(before, { ...outcome, findings }));
  }
  return [...merged.values()];
}

function join(before: CheckOutcome, after: CheckOutcome): CheckOutcome {
  const statuses = [before.status, after.status];
  const status = statuses.includes('failed') ? 'failed' : statuses.includes('passed') ? 'passed' : 'skipped';
  const seconds = (before.seconds ?? 0) + (after.seconds ?? 0);
  // A failure with the defaults usually repeats with other options, so five findings are enough.
  const findings = [...before.findings, ...(before.findings.length >= 5 ? [] : after.findings)];
  const reason = status === 'skipped' ? (before.reason ?? after.reason) : undefined;
  return { id: before.id, status, findings, ...(seconds > 0 && { seconds }), ...(reason !== undefined && { reason }) };
}
