import { existsSync } from 'node:fs';
import { basename } from 'node:path';

import type { Json } from '../contracts/json.js';
import { isAgentgymError } from '../errors/agentgym-error.js';
import { reasonOf } from '../errors/message-of.js';
import { latestCheckpointFolder } from './checkpoints.js';
import { presentStatus } from './load-run.js';
import { differingSettings, settingLeaves } from './recipe-leaves.js';
import { readRunFolders, type DamagedFolder } from './resolve-run.js';
import { nameOfRun, readLabel } from './run-label.js';
import { readManifest, type RunStatus } from './run-manifest.js';
import { readResult, resultPath } from './run-result.js';

/** A run in a list. */
export interface RunSummary {
  readonly id: string;
  /** The user's name, or the name of its folder or its recipe. */
  readonly name: string;
  readonly tags: readonly string[];
  readonly note: string | null;
  /** Name of the recipe. */
  readonly recipe: string;
  readonly seed: number;
  /** Null if the run only does supervised fine-tuning. */
  readonly algorithm: string | null;
  readonly status: RunStatus;
  readonly createdAt: string;
  readonly directory: string;
  /** Steps of the newest checkpoint, over all stages; null before the first. */
  readonly step: number | null;
  /** Success of the final evaluation at temperature 0; null until there is one. */
  readonly success: number | null;
  /** Its values at the keys at which recipes of this name differ in the list, except the seed. */
  readonly settings: { readonly [key: string]: Json };
}

/** Selects runs of a folder. Absent fields do not filter. */
export interface RunFilter {
  readonly recipe?: string | undefined;
  readonly algorithm?: string | undefined;
  readonly status?: string | undefined;
  /** A run must have all of these. */
  readonly tags?: readonly string[] | undefined;
}

/** Summaries of runs, and what is damaged: folders that are left out, and runs of which a part is missing. */
export interface ListedRuns {
  readonly runs: readonly RunSummary[];
  readonly damaged: readonly DamagedFolder[];
}

/** The runs in a folder, the newest first. Reads no logs, so it is quick for many runs. */
export async function summarizeRuns(runsFolder: string, filter: RunFilter = {}): Promise<ListedRuns> {
  const found = await readRunFolders(runsFolder);
  const { runs, damaged } = await summarizeFolders(found.runs.map(({ directory }) => directory).reverse(), filter);
  const others = found.damaged.map(({ directory, reason }) => ({ directory, reason }));
  return { runs, damaged: [...others, ...damaged] };
}

/** Summaries of the given folders, in their order. */
export async function summarizeFolders(folders: readonly string[], filter: RunFilter = {}): Promise<ListedRuns> {
  const read = await Promise.all(folders.map(summarize));
  const lines = read.filter((line) => 'summary' in line);
  const wanted = lines.filter(({ summary }) => isWanted(summary, filter));
  const settings = differingSettings(wanted);
  const partly = wanted.flatMap(({ damage, summary: { directory } }) =>
    damage === undefined ? [] : [{ directory, reason: damage }],
  );
  return {
    runs: wanted.map((line) => ({ ...line.summary, settings: settings.get(line) ?? {} })),
    damaged: [...read.filter((line) => 'reason' in line), ...partly],
  };
}

interface Line {
  readonly recipe: string;
  readonly summary: Omit<RunSummary, 'settings'>;
  readonly leaves: { readonly [key: string]: Json };
  /** What of the run cannot be read. */
  readonly damage?: string;
}

async function summarize(directory: string): Promise<Line | DamagedFolder> {
  const [manifest, label, result, checkpoint] = await Promise.all([
    readManifest(directory).catch(damageOf),
    readLabel(directory),
    readResult(directory),
    latestCheckpointFolder(directory),
  ]);
  if (typeof manifest === 'string') return { directory, reason: manifest };
  const noResult = result === undefined && existsSync(resultPath(directory));
  const { recipe } = manifest;
  const summary = {
    id: manifest.id,
    name: nameOfRun(directory, manifest, label),
    tags: label.tags,
    note: label.note ?? null,
    recipe: manifest.name,
    seed: recipe.seed,
    algorithm: recipe.algorithm?.name ?? null,
    status: presentStatus(directory, manifest),
    createdAt: manifest.createdAt,
    directory,
    step: checkpoint === undefined ? null : Number(basename(checkpoint).slice('step-'.length)),
    success: result?.evaluation?.success.rate ?? null,
  };
  return {
    recipe: summary.recipe,
    summary,
    leaves: settingLeaves(recipe),
    ...(noResult && { damage: 'its result.json cannot be read' }),
  };
}

function isWanted(run: Line['summary'], { recipe, algorithm, status, tags = [] }: RunFilter): boolean {
  return (
    (recipe === undefined || run.recipe === recipe) &&
    (algorithm === undefined || run.algorithm === algorithm) &&
    (status === undefined || run.status === status) &&
    tags.every((tag) => run.tags.includes(tag))
  );
}

/** A damaged run, or one of another version, is left out and does not hide others. */
function damageOf(error: unknown): string {
  if (!isAgentgymError(error) || error.code !== 'AG_NOT_A_RUN') throw error;
  return reasonOf(error);
}
