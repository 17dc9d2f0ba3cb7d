import { AgentgymError } from '../errors/agentgym-error.js';
import type { ReportData } from '../reporting/report-data.js';
import { isAblation } from '../runs/folder-kind.js';
import { reportAblation } from './report-ablation.js';
import { reportRuns, type ReportRequest } from './report-runs.js';

/**
 * Gathers the data of the report page and of figures. An ablation must be the only subject, because it already compares
 * its runs. Throws AG_COMMAND_USAGE if it is given together with others, and errors of `reportRuns` and
 * `reportAblation`.
 */
export async function gatherReport(request: ReportRequest): Promise<ReportData> {
  const { runs, episodes, version } = request;
  const [first = ''] = runs;
  if (!runs.some(isAblation)) return reportRuns(request);
  if (runs.length > 1) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: 'A report shows one ablation, or runs, but not both.',
      hint: 'Give only the ablation, or the runs below its `cells/`.',
    });
  }
  return reportAblation(first, { episodes, version, measure: 'success', temperature: 0 });
}
