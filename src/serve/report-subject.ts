import type { ReportData } from '../reporting/report-data.js';
import type { ReportedRun } from '../reports/report-cells.js';

/** What a report is about at one moment. */
export interface ReportSubject {
  /** Folders of the runs that are read for it. */
  readonly folders: readonly string[];
  /**
   * Runs that share what the page carries of episodes, those to come among them: what it shows of one is not taken away
   * by another.
   */
  readonly shares: number;
  /** `runs` are those of the folders, in their order. */
  compose(runs: readonly ReportedRun[]): ReportData | Promise<ReportData>;
}
