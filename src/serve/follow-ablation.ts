import { existsSync } from 'node:fs';

import { type AblationManifest, readAblation, readCellRun, runName, runsOf } from '../ablation/ablation-directory.js';
import { ablationPath } from '../runs/folder-kind.js';
import { composeAblation } from '../reports/report-ablation.js';
import type { ReportedRun } from '../reports/report-cells.js';
import { ReadOnChange } from './file-signature.js';
import { rememberSummary } from './remember-comparisons.js';
import type { ReportSubject } from './report-subject.js';

/**
 * Polls an ablation. Its manifest is read again if it changed, and each run is checked against it once per state.
 * Returns the same object as before if neither the manifest nor the set of started runs changed.
 */
export function followAblation(directory: string, version: string): () => Promise<ReportSubject> {
  /** The manifest's digest of each run at its last check. */
  const checked = new WeakMap<ReportedRun, string>();
  const summarize = rememberSummary();
  const manifests = new ReadOnChange<AblationManifest>();
  let last: { readonly ablation: AblationManifest; readonly subject: ReportSubject } | undefined;
  return async () => {
    const ablation = await manifests.read([ablationPath(directory)], () => readAblation(directory));
    const wanted = runsOf(directory, ablation);
    const begun = wanted.filter((run) => existsSync(run.directory));
    const folders = begun.map((run) => run.directory);
    if (last?.ablation === ablation && last.subject.folders.join() === folders.join()) return last.subject;
    const subject: ReportSubject = {
      folders,
      shares: wanted.length,
      compose: async (runs) => {
        for (const [i, run] of runs.entries()) {
          const asked = begun[i]!;
          const digest = ablation.finished[runName(asked)] ?? '';
          if (checked.get(run) === digest) continue;
          await readCellRun(asked, ablation.finished);
          checked.set(run, digest);
        }
        const byFolder = new Map(runs.map((run) => [run.loaded.directory, run]));
        const options = { version, measure: 'success', temperature: 0 } as const;
        return composeAblation(directory, ablation, byFolder, options, summarize);
      },
    };
    last = { ablation, subject };
    return subject;
  };
}
