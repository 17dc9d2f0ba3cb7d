import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

import * as v from 'valibot';

import { resolvedRecipeProblem } from '../config/resolved-recipe-problem.js';
import { longestLog, readWholeFile } from '../files/read-whole-file.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { createFolder } from '../runs/create-folder.js';
import { writeJsonAtomically } from '../runs/durable-files.js';
import { ablationPath } from '../runs/folder-kind.js';
import { readDocument } from '../runs/read-document.js';
import { randomId } from '../runs/random-id.js';
import { describeDifference, recipeDifference } from '../runs/recipe-difference.js';
import { acquireRunLock, type RunLock } from '../runs/run-lock.js';
import { readManifest, type RunManifest } from '../runs/run-manifest.js';
import { readResult, type RunResult } from '../runs/run-result.js';
import type { TrainingJob } from '../runners/runner.js';
import type { AblationPlan } from './ablation-plan.js';
import { ablationFingerprint, type Cell } from './resolve-cells.js';
import { makeFolder } from '../files/make-folder.js';

/** One seed of one cell: a run. */
export interface CellRun extends TrainingJob {
  readonly cell: Cell;
  readonly seed: number;
}

/** Longest name of a run. Only the end of a longer name is kept. */
const longestName = 100;

/** `ablation.json`: the question of the ablation and its result. */
export interface AblationManifest extends Omit<AblationPlan, 'cells'> {
  readonly formatVersion: 1;
  readonly createdAt: string;
  /** Six letters and digits, also in what schedulers know of it. Ablations of older versions get one when they continue. */
  readonly id: string;
  readonly fingerprint: string;
  /** The command-line words after `agentgym` that requested its last seeds. Older versions did not note them. */
  readonly command?: readonly string[] | undefined;
  readonly versions: { readonly [name: string]: string };
  readonly seeds: readonly number[];
  readonly cells: readonly Cell[];
  /** SHA-256 of the files from which results are computed, for each finished run, by its folder below `cells/`. */
  readonly finished: { readonly [run: string]: string };
  /** Cause of each failed run that has not completed since. */
  readonly failed: { readonly [run: string]: string };
}

/** The folder of an ablation in which this process works. It holds the lock. */
export class AblationDirectory {
  #manifest: AblationManifest;
  #written: Promise<void> = Promise.resolve();

  private constructor(
    readonly path: string,
    manifest: AblationManifest,
    readonly lock: RunLock,
  ) {
    this.#manifest = manifest;
  }

  get manifest(): AblationManifest {
    return this.#manifest;
  }

  /**
   * Creates the folder as a whole or not at all, or continues the ablation in it and adds seeds.
   *
   * @throws AG_ABLATION_CHANGED if it holds another ablation, AG_OUTPUT_EXISTS if it is not an ablation, AG_RUN_LOCKED,
   * AG_RUN_WRITE_FAILED
   */
  static async open(
    path: string,
    plan: AblationPlan,
    cells: readonly Cell[],
    seeds: readonly number[],
    versions: { readonly [name: string]: string },
    command?: readonly string[],
  ): Promise<AblationDirectory> {
    const directory = resolve(path);
    const there = await readAblationIfAny(directory);
    if (there !== undefined) refuseOther(directory, there, cells);
    const { cells: _, ...question } = plan;
    const isMore = there === undefined || seeds.some((seed) => !there.seeds.includes(seed));
    const manifest: AblationManifest = {
      formatVersion: 1,
      ...question,
      createdAt: there?.createdAt ?? new Date().toISOString(),
      id: there?.id ?? randomId(),
      fingerprint: ablationFingerprint(cells),
      command: isMore ? command : there.command,
      versions,
      seeds: [...new Set([...(there?.seeds ?? []), ...seeds])].sort((a, b) => a - b),
      cells,
      finished: there?.finished ?? {},
      failed: there?.failed ?? {},
    };
    if (there === undefined) {
      refuseExisting(directory);
      const lock = await createFolder(directory, 'ablation', async (temporary) => {
        await makeFolder(join(temporary, 'cells'));
        await writeAblation(temporary, manifest);
        refuseExisting(directory);
      });
      return new AblationDirectory(directory, manifest, lock);
    }
    const lock = acquireRunLock(directory);
    try {
      await writeAblation(directory, manifest);
      return new AblationDirectory(directory, manifest, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** All cells of one seed come before the next seed, so that a stopped ablation can compare all cells. */
  get runs(): readonly CellRun[] {
    return runsOf(this.path, this.#manifest);
  }

  /** Notes that a run is complete, with the digest of its result files. */
  async noteFinished(run: CellRun): Promise<void> {
    const digest = await runDigest(run.directory);
    const { [runName(run)]: _, ...failed } = this.#manifest.failed;
    await this.#write({ finished: { ...this.#manifest.finished, [runName(run)]: digest }, failed });
  }

  /** Notes why a run failed. A run that was refused before it began has no folder that records this. */
  async noteFailed(run: CellRun, cause: string): Promise<void> {
    await this.#write({ failed: { ...this.#manifest.failed, [runName(run)]: cause } });
  }

  async #write(changes: Partial<AblationManifest>): Promise<void> {
    const manifest = (this.#manifest = { ...this.#manifest, ...changes });
    // Writes wait for each other: runs end concurrently, and the newest manifest must be written last.
    this.#written = this.#written.then(() => writeAblation(this.path, manifest));
    await this.#written;
  }

  release(): void {
    this.lock.release();
  }
}

/** Throws AG_NOT_A_RUN for a folder without an ablation. */
export async function readAblation(directory: string): Promise<AblationManifest> {
  const manifest = await readAblationIfAny(resolve(directory));
  if (manifest !== undefined) return manifest;
  throw new AgentgymError('AG_NOT_A_RUN', {
    message: `${resolve(directory)} is not an ablation: it has no ablation.json.`,
    file: ablationPath(resolve(directory)),
  });
}

export function runsOf(directory: string, { cells, seeds }: Pick<AblationManifest, 'cells' | 'seeds'>): CellRun[] {
  return seeds.flatMap((seed) =>
    cells.map((cell) => ({
      cell,
      seed,
      recipe: { ...cell.recipe, seed },
      directory: join(directory, 'cells', cell.id, `seed-${seed}`),
      label: { name: `${cell.title ?? cell.id}, seed ${seed}`.slice(-longestName), tags: [] },
    })),
  );
}

/** The state of a run of an ablation. */
export interface CellRunState {
  readonly manifest: RunManifest;
  /** Present once the run is complete. */
  readonly result?: RunResult;
}

/**
 * Reads a run of an ablation; undefined if it has not started.
 *
 * @throws AG_ABLATION_CHANGED if its recipe is not the cell's recipe, or if it changed after completion
 */
export async function readCellRun(
  run: CellRun,
  finished: AblationManifest['finished'],
): Promise<CellRunState | undefined> {
  if (!existsSync(run.directory)) return undefined;
  const manifest = await readManifest(run.directory);
  const difference = recipeDifference(manifest.recipe, run.recipe);
  if (difference !== undefined) {
    throw changed(run.directory, `was made with another recipe: ${describeDifference(difference)}`);
  }
  // A removed run is repeated. The noted digest does not apply to the new run until it completes.
  const known = manifest.status === 'completed' ? finished[runName(run)] : undefined;
  if (known !== undefined && known !== (await runDigest(run.directory))) {
    throw changed(run.directory, 'was changed after it was complete');
  }
  const result = await readResult(run.directory);
  return { manifest, ...(manifest.status === 'completed' && result !== undefined && { result }) };
}

/** The folder of the run, relative to `cells/`. */
export function runName({ cell, seed }: CellRun): string {
  return `${cell.id}/seed-${seed}`;
}

/** Digest of the files from which results are computed. */
async function runDigest(directory: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['result.json', 'evaluations.jsonl', 'metrics.jsonl']) {
    hash.update(await readWholeFile(join(directory, name), longestLog).catch(() => ''));
  }
  return hash.digest('hex');
}

async function writeAblation(directory: string, manifest: AblationManifest): Promise<void> {
  await writeJsonAtomically(ablationPath(directory), manifest);
}

async function readAblationIfAny(directory: string): Promise<AblationManifest | undefined> {
  const file = ablationPath(directory);
  if (!existsSync(file)) return undefined;
  const manifest = await readDocument(file, {
    schema: manifestSchema,
    name: 'the record of an ablation that this version can read',
    code: 'AG_ABLATION_CHANGED',
    hint: howToRestore(file),
  });
  const problem = manifest.cells
    .map(({ recipe }, i) => resolvedRecipeProblem(recipe, ['cells', i, 'recipe']))
    .find((found) => found !== undefined);
  if (problem !== undefined) throw changed(file, `is not complete: ${problem}`);
  return manifest as unknown as AblationManifest;
}

/** Parts of paths. */
const folderName = v.pipe(v.string(), v.regex(/^(?!\.{1,2}$)[^/\\]+$/));
const manifestSchema = v.looseObject({
  formatVersion: v.literal(1),
  name: v.string(),
  axis: v.string(),
  question: v.string(),
  reference: v.string(),
  compare: v.picklist(['reference', 'all']),
  tests: v.exactOptional(v.array(v.string())),
  createdAt: v.string(),
  id: v.exactOptional(v.string()),
  fingerprint: v.string(),
  command: v.exactOptional(v.array(v.string())),
  versions: v.record(v.string(), v.string()),
  seeds: v.array(v.pipe(v.number(), v.safeInteger())),
  cells: v.pipe(
    v.array(
      v.looseObject({
        id: folderName,
        title: v.exactOptional(v.string()),
        settings: v.looseObject({}),
        levels: v.exactOptional(v.record(v.string(), v.string())),
        recipe: v.looseObject({}),
        notes: v.array(v.string()),
      }),
    ),
    v.minLength(1),
  ),
  finished: v.record(v.string(), v.string()),
  failed: v.record(v.string(), v.string()),
});

function refuseOther(directory: string, there: AblationManifest, cells: readonly Cell[]): void {
  // The noted fingerprint cannot be used: earlier versions included descriptions in it.
  if (ablationFingerprint(there.cells) === ablationFingerprint(cells)) return;
  throw new AgentgymError('AG_ABLATION_CHANGED', {
    message: `${directory} contains another ablation: ${whatDiffers(there.cells, cells)}.`,
    hint: 'Choose another `--output`, or run the ablation of this folder.',
    file: ablationPath(directory),
  });
}

function whatDiffers(before: readonly Cell[], now: readonly Cell[]): string {
  const names = (cells: readonly Cell[]) => cells.map(({ id }) => id).join(', ');
  if (names(before) !== names(now)) return `its cells are ${names(before)} there and ${names(now)} here`;
  for (const [i, { id, recipe }] of now.entries()) {
    const difference = recipeDifference(before[i]!.recipe, recipe);
    if (difference !== undefined) return `in cell ${id}, ${describeDifference(difference)}`;
  }
  return 'it has another version';
}

function changed(path: string, what: string): AgentgymError {
  return new AgentgymError('AG_ABLATION_CHANGED', {
    message: `${path} ${what}.`,
    hint: howToRestore(path),
    file: path,
  });
}

function howToRestore(path: string): string {
  return `Restore it, or remove ${path.endsWith('.json') ? 'the folder around it' : 'it'}; agentgym then repeats the missing runs.`;
}

function refuseExisting(directory: string): void {
  if (!existsSync(directory)) return;
  throw new AgentgymError('AG_OUTPUT_EXISTS', {
    message: `${directory} already exists and is not an ablation.`,
    hint: 'Choose a new folder with `--output`, or the folder of an ablation to continue.',
    file: directory,
  });
}
