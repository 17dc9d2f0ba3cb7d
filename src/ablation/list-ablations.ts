import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { isAgentgymError } from '../errors/agentgym-error.js';
import { reasonOf } from '../errors/message-of.js';
import { isAblation } from '../runs/folder-kind.js';
import type { DamagedFolder } from '../runs/resolve-run.js';
import { readAblation, runsOf } from './ablation-directory.js';

/** An ablation in a list. */
export interface AblationSummary {
  /** Name of its folder. */
  readonly name: string;
  readonly question: string;
  readonly createdAt: string;
  readonly directory: string;
  /** Number of complete runs, and below of all planned runs. */
  readonly completed: number;
  readonly runs: number;
}

/** The ablations below a folder of runs, the newest first, and those that cannot be read. */
export async function listAblations(
  runsFolder: string,
): Promise<{ readonly ablations: readonly AblationSummary[]; readonly damaged: readonly DamagedFolder[] }> {
  const folder = join(runsFolder, 'ablations');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  const present = names.filter((name) => isAblation(join(folder, name)));
  const found = await Promise.all(present.map((name) => describe(name, join(folder, name))));
  const ablations = found.filter((one) => 'name' in one).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return { ablations, damaged: found.filter((one) => 'reason' in one) };
}

async function describe(name: string, directory: string): Promise<AblationSummary | DamagedFolder> {
  try {
    const manifest = await readAblation(directory);
    const { question, createdAt, finished } = manifest;
    const runs = runsOf(directory, manifest).length;
    return { name, question, createdAt, directory, completed: Object.keys(finished).length, runs };
  } catch (error) {
    if (!isAgentgymError(error)) throw error;
    return { directory, reason: reasonOf(error) };
  }
}

/** The folders of an ablation's runs that have begun. */
export async function ablationRuns(directory: string): Promise<string[]> {
  const manifest = await readAblation(directory);
  return runsOf(directory, manifest).flatMap((run) => (existsSync(run.directory) ? [run.directory] : []));
}
