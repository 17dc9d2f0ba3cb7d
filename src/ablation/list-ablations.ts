import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { isAgentgymError } from '../errors/agentgym-error.js';
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

/** The ablations below a folder of runs, the newest first. Unreadable ablations are left out. */
export async function listAblations(runsFolder: string): Promise<AblationSummary[]> {
  const folder = join(runsFolder, 'ablations');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  const found = await Promise.all(names.map((name) => describe(name, join(folder, name))));
  return found.filter((one) => one !== undefined).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

async function describe(name: string, directory: string): Promise<AblationSummary | undefined> {
  try {
    const manifest = await readAblation(directory);
    const { question, createdAt, finished } = manifest;
    const runs = runsOf(directory, manifest).length;
    return { name, question, createdAt, directory, completed: Object.keys(finished).length, runs };
  } catch (error) {
    if (!isAgentgymError(error)) throw error;
    return undefined;
  }
}

/** The folders of an ablation's runs that have begun. */
export async function ablationRuns(directory: string): Promise<string[]> {
  const manifest = await readAblation(directory);
  return runsOf(directory, manifest).flatMap((run) => (existsSync(run.directory) ? [run.directory] : []));
}
