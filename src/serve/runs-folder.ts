import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { ListedAblation, ListedCell, ListedRun, RunsListing } from '../reporting/live-data.js';
import type { ReportStatus } from '../reporting/report-data.js';
import { readAblation, runsOf, type AblationManifest } from '../ablation/ablation-directory.js';
import { ablationPath } from '../runs/folder-kind.js';
import type { AblationResult } from '../ablation/ablation-result.js';
import { readAblationResult } from '../ablation/read-ablation-result.js';
import { differingSettings } from '../runs/recipe-leaves.js';
import { runOwner } from '../runs/run-lock.js';
import { ReadOnChange } from './file-signature.js';
import { WatchedRuns, type RunLine } from './summarize-run.js';

interface KnownAblation {
  readonly manifest: AblationManifest;
  readonly result: AblationResult | undefined;
}

type FolderKind = 'run' | 'ablation';

/**
 * The served folder of runs: its content, and the folders of runs and ablations by key. A key outside the listing is
 * unknown, so that no request reaches another folder.
 */
export class RunsFolder {
  readonly #summaries = new WatchedRuns();
  readonly #ablations = new ReadOnChange<KnownAblation | undefined>();
  #folders: { readonly [kind in FolderKind]: ReadonlyMap<string, string> } = { run: new Map(), ablation: new Map() };
  #text = '';
  #listing: RunsListing | undefined;

  constructor(
    readonly path: string,
    readonly version: string,
  ) {}

  /** Reads the folder again. Returns the same object as before if nothing changed. */
  async list(): Promise<RunsListing> {
    const folders = new Map<string, string>();
    const keyed = (line: RunLine, directory: string, settings: ListedRun['settings'] = {}): ListedRun => {
      const { id, leaves: _, ...rest } = line;
      let key = id;
      for (let n = 2; folders.has(key); n += 1) key = `${id}-${n}`;
      folders.set(key, directory);
      return { key, ...rest, settings };
    };
    const unreadable: { readonly folder: string; readonly why: string }[] = [];
    const found: { readonly directory: string; readonly line: RunLine }[] = [];
    for (const directory of await foldersIn(this.path)) {
      const { line, why } = await this.#summaries.summarize(directory);
      if (line !== undefined) found.push({ directory, line });
      if (why !== undefined) unreadable.push({ folder: basename(directory), why });
    }
    const settings = differingSettings(found.map(({ line }) => line));
    const runs = found.map(({ line, directory }) => keyed(line, directory, settings.get(line)));
    const ablations: ListedAblation[] = [];
    const places = new Map<string, string>();
    for (const directory of await foldersIn(join(this.path, 'ablations'))) {
      const ablation = await this.#ablation(directory, keyed);
      if (ablation === undefined) continue;
      ablations.push(ablation);
      places.set(ablation.key, directory);
    }
    this.#folders = { run: folders, ablation: places };
    const listing: RunsListing = {
      formatVersion: 1,
      folder: this.path,
      version: this.version,
      runs: runs.sort(newestFirst),
      ablations: ablations.sort(newestFirst),
      unreadable,
    };
    const text = JSON.stringify(listing);
    if (this.#listing !== undefined && text === this.#text) return this.#listing;
    this.#text = text;
    return (this.#listing = listing);
  }

  /** Undefined if the key is not in the listing. */
  async find(kind: FolderKind, key: string): Promise<string | undefined> {
    if (!this.#folders[kind].has(key)) await this.list();
    return this.#folders[kind].get(key);
  }

  /** Runs that were running in the last listing, with their folders. */
  get running(): readonly (readonly [key: string, directory: string])[] {
    const cells = this.#listing?.ablations.flatMap((ablation) => ablation.cells.flatMap((cell) => cell.runs)) ?? [];
    return [...(this.#listing?.runs ?? []), ...cells].flatMap(({ key, status }) => {
      const directory = this.#folders.run.get(key);
      return status === 'running' && directory !== undefined ? [[key, directory] as const] : [];
    });
  }

  async #ablation(
    directory: string,
    keyed: (line: RunLine, directory: string) => ListedRun,
  ): Promise<ListedAblation | undefined> {
    const files = [ablationPath(directory), join(directory, 'result.json')] as const;
    const known = await this.#ablations.read(files, () => readKnown(directory));
    if (known === undefined) return undefined;
    const { manifest, result } = known;
    const cells = new Map<string, { id: string; title?: string; runs: ListedRun[]; queued: number[] }>();
    for (const { cell, seed, directory: folder } of runsOf(directory, manifest)) {
      const { id, title } = cell;
      const own = cells.get(id) ?? { id, ...(title !== undefined && { title }), runs: [], queued: [] };
      cells.set(id, own);
      const { line } = await this.#summaries.summarize(folder);
      if (line === undefined) own.queued.push(seed);
      else own.runs.push(keyed(line, folder));
    }
    return {
      key: basename(directory),
      name: manifest.name,
      question: manifest.question,
      answer: result?.answer ?? null,
      status: statusOf(directory, [...cells.values()]),
      createdAt: manifest.createdAt,
      cells: [...cells.values()],
    };
  }
}

/** Undefined for a folder that is not an ablation, or that cannot be read. */
async function readKnown(directory: string): Promise<KnownAblation | undefined> {
  try {
    const manifest = await readAblation(directory);
    return { manifest, result: await readAblationResult(directory).catch(() => undefined) };
  } catch {
    return undefined;
  }
}

/** `running` while its process lives; after that, the status follows from its runs. */
function statusOf(directory: string, cells: readonly ListedCell[]): ReportStatus {
  if (runOwner(directory) !== undefined) return 'running';
  const runs = cells.flatMap((cell) => cell.runs);
  if (runs.some(({ status }) => status === 'failed')) return 'failed';
  const isComplete = cells.every(({ queued }) => queued.length === 0);
  return isComplete && runs.every(({ status }) => status === 'completed') ? 'completed' : 'interrupted';
}

/** Sorted by name, so that the keys of copies do not change. */
async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
    .map(({ name }) => join(path, name))
    .sort();
}

function newestFirst(a: { readonly createdAt: string }, b: { readonly createdAt: string }): number {
  return a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0;
}
