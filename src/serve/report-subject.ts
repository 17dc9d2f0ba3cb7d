import type { ReportData } from '../reporting/report-data.js';
import type { ReportedRun } from '../reports/report-cells.js';

/** What a report is about at one moment. */
export interface ReportSubject {
  /** Folders of the runs that are read for it. */
  readonly folders: readonly string[];
  /**
   * The number of runs that share the space for episodes on a page, including later ones, so that one run does not take
   * the space of another.
   */
  readonly shares: number;
  /** `runs` are those of the folders, in their order. */
  compose(runs: readonly ReportedRun[]): ReportData | Promise<ReportData>;
}
