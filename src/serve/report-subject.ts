import type { ReportData } from '../reporting/report-data.js';
import type { ReportedRun } from '../reports/report-cells.js';

/** The subject of a report at one time. */
export interface ReportSubject {
  /** Folders of its runs. */
  readonly folders: readonly string[];
  /**
   * The number of runs that share the space for episodes on a page, including later ones, so that no run takes the
   * space of another.
   */
  readonly shares: number;
  /** `runs` belong to the folders, in the same order. */
  compose(runs: readonly ReportedRun[]): ReportData | Promise<ReportData>;
}
