import type { RunMetricsLine } from '../files/metrics-log.js';
import type { RunResult } from './run-result.js';

/** The working time of a run over all its sessions: up to its end, or up to its last step so far. */
export function runSeconds(result: Pick<RunResult, 'seconds'> | undefined, metrics: readonly RunMetricsLine[]): number {
  return result?.seconds ?? metrics.at(-1)?.metrics['time/run_seconds'] ?? 0;
}
