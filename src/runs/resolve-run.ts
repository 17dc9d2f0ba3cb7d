import { existsSync, readdirSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

import { readTextFile } from '../files/read-whole-file.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { reasonOf } from '../errors/message-of.js';
import { shellWord } from '../errors/shell-word.js';
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

/** A folder that looks like a run or an ablation, and that a command leaves out. */
export interface DamagedFolder {
  readonly directory: string;
  /** A clause about the folder: "its manifest.json cannot be read". */
  readonly reason: string;
}

/**
 * The folder of a RUN as in commands: a path, an id, a name that a user gave it, a unique beginning of an id or of a
 * folder's name, or `latest` (the last created run). Throws AG_NOT_A_RUN, AG_RUN_NOT_FOUND or AG_RUN_AMBIGUOUS.
 */
export async function resolveRun(reference: string, runsFolder: string): Promise<string> {
  if (reference !== 'latest' && existsSync(manifestPath(reference))) return resolve(reference);
  const { runs: candidates, damaged } = await readRunFolders(runsFolder);
  if (reference === 'latest') {
    const latest = candidates.at(-1);
    // A damaged manifest does not say when its run began, but it was written after that.
    const newer = damaged.find(({ changedAt }) => latest === undefined || changedAt > latest.createdAt);
    if (newer !== undefined) {
      throw new AgentgymError('AG_RUN_DAMAGED', {
        message: `The latest run may be ${newer.directory}: ${newer.reason}.`,
        hint: `Name another run${latest === undefined ? '' : `, such as ${latest.id}`}, or restore the file or remove the folder.`,
        file: manifestPath(newer.directory),
      });
    }
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
  if (dirname(folder) === resolve(runsFolder)) return shellWord(id);
  const path = relative('.', folder);
  // A path that begins with a dash would be read as a flag.
  return shellWord(path.startsWith('..') ? folder : path.replace(/^-/, './-'));
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
  return (await readRunFolders(runsFolder)).runs;
}

/** The folders that `findRuns` finds, and those whose manifest cannot be read, in the order of their names. */
export async function readRunFolders(runsFolder: string): Promise<{
  readonly runs: readonly Candidate[];
  readonly damaged: readonly (DamagedFolder & { readonly changedAt: string })[];
}> {
  const names = namesIn(runsFolder).filter((name) => !name.startsWith('.'));
  const found = (await Promise.all(names.map((name) => candidate(runsFolder, name)))).filter(
    (folder) => folder !== undefined,
  );
  const runs = found
    .filter((folder) => 'id' in folder)
    .sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.folderName, b.folderName));
  return { runs, damaged: found.filter((folder) => 'reason' in folder) };
}

/** Empty if it is not a folder. Code that writes there reports the error. */
function namesIn(folder: string): readonly string[] {
  return existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
}

/** Undefined for a folder without a manifest. */
async function candidate(
  runsFolder: string,
  folderName: string,
): Promise<Candidate | (DamagedFolder & { readonly changedAt: string }) | undefined> {
  const directory = resolve(runsFolder, folderName);
  const file = manifestPath(directory);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  const damaged = (reason: string) => ({ directory, reason, changedAt: found.mtime.toISOString() });
  try {
    const { id, createdAt } = Object(JSON.parse(await readTextFile(file))) as Partial<RunManifest>;
    return typeof id !== 'string' || typeof createdAt !== 'string'
      ? damaged('its manifest.json has no `id` or no `createdAt`')
      : { directory, folderName, id, createdAt };
  } catch (error) {
    return damaged(`its manifest.json cannot be read: ${reasonOf(error)}`);
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
