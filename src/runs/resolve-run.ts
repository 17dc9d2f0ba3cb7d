import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { readTextFile } from '../files/read-whole-file.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { isAblation } from './folder-kind.js';
import { readLabel } from './run-label.js';
import { manifestPath, type RunManifest } from './run-manifest.js';

/** A run's folder, and the parts of its manifest that are needed to find it. */
interface Candidate {
  readonly directory: string;
  readonly folderName: string;
  readonly id: string;
  readonly createdAt: string;
}

/**
 * The folder of a RUN as in commands: a path, an id, a name that a user gave it, a unique beginning of an id or of a
 * folder's name, or `latest` (the last created run). Throws AG_NOT_A_RUN, AG_RUN_NOT_FOUND or AG_RUN_AMBIGUOUS.
 */
export async function resolveRun(reference: string, runsFolder: string): Promise<string> {
  if (reference !== 'latest' && existsSync(manifestPath(reference))) return resolve(reference);
  const candidates = await findRuns(runsFolder);
  if (reference === 'latest') {
    const latest = candidates.at(-1);
    if (latest !== undefined) return latest.directory;
    throw new AgentgymError('AG_RUN_NOT_FOUND', {
      message: `There is no run in ${resolve(runsFolder)}.`,
      hint: 'Start one with `agentgym train quickstart`, or give the path of a run.',
    });
  }
  const names = await Promise.all(candidates.map(async ({ directory }) => (await readLabel(directory)).name));
  const exact = candidates.filter(({ id, folderName }, i) => [id, folderName, names[i]].includes(reference));
  const fitting =
    exact.length > 0 || reference === ''
      ? exact
      : candidates.filter(({ id, folderName }) => id.startsWith(reference) || folderName.startsWith(reference));
  const [only, ...others] = fitting;
  if (only === undefined) throw notFound(reference, runsFolder, candidates);
  if (others.length > 0) {
    throw new AgentgymError('AG_RUN_AMBIGUOUS', {
      message: `"${reference}" matches ${fitting.length} runs: ${fitting.map(({ folderName }) => folderName).join(', ')}.`,
    });
  }
  return only.directory;
}

/**
 * How to refer to a run in a command: by its id if it is in the folder where commands look for ids, else by its path.
 */
export function referenceTo(run: string, id: string, runsFolder = 'runs'): string {
  const folder = resolve(run);
  if (dirname(folder) === resolve(runsFolder)) return id;
  const path = relative('.', folder);
  return shellWord(path.startsWith('..') ? folder : path);
}

/** Quotes a word for a shell, if necessary. */
function shellWord(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Like `resolveRun`, for commands that take an ABLATION too: its folder, or a unique beginning of its folder's name
 * below `ablations/`.
 */
export async function resolveSubject(reference: string, runsFolder: string): Promise<string> {
  if (isAblation(reference)) return resolve(reference);
  const below = join(runsFolder, 'ablations');
  const names = namesIn(below).filter((name) => isAblation(join(below, name)));
  const fitting = names.filter((name) => name === reference || (reference !== '' && name.startsWith(reference)));
  const [only, ...others] = fitting;
  if (only === undefined) return resolveRun(reference, runsFolder);
  if (others.length > 0 && !fitting.includes(reference)) {
    throw new AgentgymError('AG_RUN_AMBIGUOUS', {
      message: `"${reference}" matches ${fitting.length} ablations: ${fitting.join(', ')}.`,
    });
  }
  return resolve(below, fitting.includes(reference) ? reference : only);
}

/** The folders in `runsFolder` that have a readable manifest, the oldest first. */
export async function findRuns(runsFolder: string): Promise<readonly Candidate[]> {
  const names = namesIn(runsFolder).filter((name) => !name.startsWith('.'));
  const found = await Promise.all(names.map((name) => candidate(runsFolder, name)));
  return found
    .filter((run) => run !== undefined)
    .sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.folderName, b.folderName));
}

/** Empty if it is not a folder. Code that writes there reports the error. */
function namesIn(folder: string): readonly string[] {
  return existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
}

async function candidate(runsFolder: string, folderName: string): Promise<Candidate | undefined> {
  const directory = resolve(runsFolder, folderName);
  try {
    const { id, createdAt } = JSON.parse(await readTextFile(manifestPath(directory))) as Partial<RunManifest>;
    return typeof id !== 'string' || typeof createdAt !== 'string'
      ? undefined
      : { directory, folderName, id, createdAt };
  } catch {
    return undefined;
  }
}

function notFound(reference: string, runsFolder: string, candidates: readonly Candidate[]): AgentgymError {
  if (reference !== '' && existsSync(reference)) {
    return new AgentgymError('AG_NOT_A_RUN', {
      message: `${resolve(reference)} is not a run: it has no manifest.json.`,
      file: manifestPath(resolve(reference)),
    });
  }
  const newest = candidates
    .slice(-3)
    .reverse()
    .map(({ id }) => id);
  const known = newest.length === 0 ? `${join(runsFolder, '/')} has no runs` : `the newest are ${newest.join(', ')}`;
  return new AgentgymError('AG_RUN_NOT_FOUND', {
    message: `There is no run "${reference}": it is not a folder, not the name of a run, and not the beginning of a run's id (${known}).`,
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
