import { join, resolve } from 'node:path';

import { renderReport } from '../reporting/render-report.js';
import { gatherReport } from './gather-report.js';
import type { ReportRequest } from './report-runs.js';
import { writeDocument } from '../runs/write-document.js';

export interface WriteReportRequest extends ReportRequest {
  /** Absent: `report.html` in the first folder. */
  readonly output?: string;
}

/** What `agentgym report --json` prints. */
export interface WrittenReport {
  /** The file. */
  readonly report: string;
  readonly bytes: number;
  readonly runs: readonly string[];
  readonly question: string;
  readonly answer: string;
  /** Episodes in the page, and the number that the runs recorded. */
  readonly episodes: { readonly shown: number; readonly recorded: number };
  readonly notes: readonly string[];
}

/**
 * Writes the report of runs, or of one ablation, completely or not at all, so that a browser never sees half a page.
 * Throws AG_REPORT_WRITE_FAILED, and as `gatherReport`.
 */
export async function writeReport(request: WriteReportRequest): Promise<WrittenReport> {
  const data = await gatherReport(request);
  const report = resolve(request.output ?? join(request.runs[0] ?? '', 'report.html'));
  const html = await renderReport(data);
  await writeDocument(report, html, `the report ${report}`);
  const { question, answer, notes, runs } = data;
  const sum = (count: (run: (typeof runs)[number]) => number) => runs.reduce((total, run) => total + count(run), 0);
  return {
    report,
    bytes: Buffer.byteLength(html),
    runs: request.runs,
    question,
    answer,
    episodes: { shown: sum(({ episodes }) => episodes.length), recorded: sum((run) => run.episodesRecorded) },
    notes,
  };
}
