import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import type { Recipe } from '../config/recipe-schema.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { codeOf } from '../errors/code-of.js';
import { messageOf } from '../errors/message-of.js';
import { shellWord } from '../errors/shell-word.js';
import { gitProvenance } from '../git/provenance.js';
import { awaitForeignOwner, type ForeignWait } from '../processes/process-lock.js';
import { fileError } from '../errors/system-error.js';
import { openLatestCheckpoint, type Checkpoint } from './checkpoints.js';
import { createFolder } from './create-folder.js';
import { hostFacts } from './host-facts.js';
import { describeDifference, type FreeOptions, recipeDifference } from './recipe-difference.js';
import { randomId } from './random-id.js';
import { acquireRunLock, type RunLock } from './run-lock.js';
import { manifestPath, readManifest, writeManifest, type RunManifest } from './run-manifest.js';
import { writeLabel, type RunLabel } from './run-label.js';
import { refuseLinks } from './refuse-links.js';
import { removeResult, writeResult, type RunResult } from './run-result.js';

/** The inputs of a new run. */
export interface NewRun extends Pick<RunManifest, 'recipe' | 'name' | 'versions' | 'plugins' | 'packages' | 'seeds'> {
  /** Folder to create. Absent: `<date>-<name>-<id>` in `runsFolder`, with the user's name or the recipe's. */
  readonly output?: string | undefined;
  /** Usually `runs` in the working directory. */
  readonly runsFolder: string;
  /** The user's label for it. */
  readonly label?: RunLabel | undefined;
  /** The command-line words after `agentgym` that start it. */
  readonly command?: readonly string[] | undefined;
  /** Folder in which git is asked for provenance: the recipe's folder or the working directory. */
  readonly sourceFolder: string;
}

/**
 * The folder of a run in which this process works. It holds the lock. All checks are made before anything is written.
 */
export class RunDirectory {
  #manifest: RunManifest;

  private constructor(
    readonly path: string,
    manifest: RunManifest,
    /** Where to continue; null: from the beginning. */
    readonly checkpoint: Checkpoint | null,
    readonly lock: RunLock,
    /** Whether it continues an earlier session, even if from the beginning. */
    readonly resumed: boolean,
  ) {
    this.#manifest = manifest;
  }

  get manifest(): RunManifest {
    return this.#manifest;
  }

  /**
   * Creates the folder as a whole or not at all. Throws AG_OUTPUT_EXISTS, or AG_RUN_WRITE_FAILED if it cannot be
   * created.
   */
  static async create(options: NewRun): Promise<RunDirectory> {
    if (options.output !== undefined) refuseExisting(options.output);
    const id = randomId();
    const createdAt = new Date().toISOString();
    const path = resolve(options.output ?? newRunFolder(options.runsFolder, options.label?.name ?? options.name, id));
    const manifest: RunManifest = {
      formatVersion: 1,
      id,
      name: options.name,
      createdAt,
      status: 'running',
      ...(options.command && { command: options.command }),
      recipe: options.recipe,
      versions: options.versions,
      plugins: options.plugins,
      ...(options.packages && { packages: options.packages }),
      git: await gitProvenance(options.sourceFolder),
      host: hostFacts(),
      policy: null,
      seeds: options.seeds,
      splits: null,
      reward: null,
      inexact: [],
      sessions: [{ startedAt: createdAt, fromStep: 0 }],
    };
    const lock = await createFolder(path, 'run', async (temporary) => {
      await writeManifest(temporary, manifest);
      if (options.label) await writeLabel(temporary, options.label);
      refuseExisting(path);
    });
    return new RunDirectory(path, manifest, null, lock, false);
  }

  /**
   * Opens a run to continue it. `recipe`, if given, must be the run's own. Throws AG_NOT_A_RUN, AG_RESUME_MISMATCH
   * (naming the key), AG_RUN_LOCKED, AG_RUN_DAMAGED or AG_CHECKPOINT_BROKEN. Logs are unchanged until the journal is opened.
   *
   * @param free options that may differ
   */
  static async resume(
    directory: string,
    recipe?: Recipe,
    free?: FreeOptions,
    wait: ForeignWait = {},
  ): Promise<RunDirectory> {
    const path = resolve(directory);
    const manifest = await readManifest(path);
    const difference = recipe && recipeDifference(manifest.recipe, recipe, free);
    if (difference !== undefined) {
      throw new AgentgymError('AG_RESUME_MISMATCH', {
        message: `The run ${path} was made with another recipe: ${describeDifference(difference)}.`,
        file: manifestPath(path),
        path: difference.path,
      });
    }
    await awaitForeignOwner(path, wait);
    const lock = acquireRunLock(path);
    try {
      await refuseLinks(path);
      return new RunDirectory(path, manifest, await openLatestCheckpoint(path, manifest.recipe), lock, true);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Changes the manifest, atomically. */
  async update(changes: Partial<Omit<RunManifest, 'formatVersion' | 'id'>>): Promise<void> {
    this.#manifest = { ...this.#manifest, ...changes };
    await writeManifest(this.path, this.#manifest);
  }

  /** Records that work continues: a new status, a new session, and no result until there is a new one. */
  async reopen(): Promise<void> {
    const { error: _, ...manifest } = this.#manifest;
    const session = { startedAt: new Date().toISOString(), fromStep: this.checkpoint?.state.runStep ?? 0 };
    this.#manifest = { ...manifest, status: 'running', sessions: [...manifest.sessions, session] };
    await writeManifest(this.path, this.#manifest);
    await removeResult(this.path);
  }

  /** Stores the result and releases the lock. */
  async finish(result: RunResult): Promise<void> {
    await writeResult(this.path, result);
    await this.update({ status: result.status });
    this.release();
  }

  /**
   * Records why the run failed, or that it was interrupted, and releases the lock. Never throws, because a full disk may be
   * the reason.
   */
  async fail(thrown: unknown): Promise<void> {
    const error = fileError(thrown) ?? thrown;
    const code = codeOf(error);
    await this.update(
      code === 'AG_INTERRUPTED'
        ? { status: 'interrupted' }
        : { status: 'failed', error: { code, message: messageOf(error) } },
    ).catch(() => undefined);
    this.release();
  }

  release(): void {
    this.lock.release();
  }
}

/** The folder of a new run that has no chosen one, such as `runs/2026-07-01-quickstart-k7m2p4`. */
export function newRunFolder(runsFolder: string, name: string, id = randomId()): string {
  return join(runsFolder, `${new Date().toISOString().slice(0, 10)}-${slug(name)}-${id}`);
}

/** Throws AG_OUTPUT_EXISTS: a run never writes into an existing folder, even if it is empty. */
export function refuseExisting(output: string): void {
  if (!existsSync(output)) return;
  throw new AgentgymError('AG_OUTPUT_EXISTS', {
    message: `${resolve(output)} already exists.`,
    hint: existsSync(manifestPath(output))
      ? `Choose another \`--output\`, or continue that run with \`agentgym train --resume ${shellWord(output)}\`.`
      : 'Choose a new folder with `--output`.',
    file: resolve(output),
  });
}

/** A name as part of a folder's name. */
function slug(name: string): string {
  const text = basename(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return text.slice(0, 40) || 'run';
}
