import { basename } from 'node:path';

import { readAblation, readCellRun, runsOf, type AblationManifest } from '../../ablation/ablation-directory.js';
import { isAblation } from '../../runs/folder-kind.js';
import { resolveSubject } from '../../runs/resolve-run.js';

/** An exported run, alone or as part of an ablation. */
export interface ExportedRun {
  readonly directory: string;
  /** Name of the ablation's folder. */
  readonly ablation: string | null;
  readonly cell: string | null;
}

/** The folder of an ablation and its manifest. */
interface ExportedAblation {
  readonly directory: string;
  readonly manifest: AblationManifest;
}

/** The named subjects: each once, in the given order. */
export interface ExportedSubjects {
  readonly ablations: readonly ExportedAblation[];
  /** Folders of runs. */
  readonly runs: readonly string[];
}

/** Finds runs and ablations. Throws as `readAblation` and `resolveSubject`. */
export async function findSubjects(references: readonly string[], runsFolder: string): Promise<ExportedSubjects> {
  const ablations = new Map<string, ExportedAblation>();
  const runs = new Set<string>();
  for (const reference of references) {
    const directory = await resolveSubject(reference, runsFolder);
    if (isAblation(directory)) ablations.set(directory, { directory, manifest: await readAblation(directory) });
    else runs.add(directory);
  }
  return { ablations: [...ablations.values()], runs: [...runs] };
}

/** All started runs of the subjects, and notes about the runs that never started. */
export async function runsOfSubjects(
  subjects: ExportedSubjects,
): Promise<{ readonly runs: readonly ExportedRun[]; readonly notes: readonly string[] }> {
  const runs: ExportedRun[] = subjects.runs.map((directory) => ({ directory, ablation: null, cell: null }));
  const notes: string[] = [];
  for (const { directory, manifest } of subjects.ablations) {
    const ablation = basename(directory);
    for (const run of runsOf(directory, manifest)) {
      const state = await readCellRun(run, manifest.finished);
      const name = `${run.cell.id}, seed ${run.seed}`;
      if (state === undefined) notes.push(`${ablation}: ${name} never started and is left out.`);
      else runs.push({ directory: run.directory, ablation, cell: run.cell.id });
    }
  }
  return { runs, notes };
}
