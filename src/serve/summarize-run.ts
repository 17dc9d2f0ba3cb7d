import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { openRegularFile } from '../files/open-regular-file.js';
import type { Json } from '../contracts/json.js';
import { parseMetricsLine, type RunMetricsLine } from '../files/metrics-log.js';
import type { ListedRun, ListedSuccess } from '../reporting/live-data.js';
import { presentStatus } from '../runs/load-run.js';
import { settingLeaves } from '../runs/recipe-leaves.js';
import { readLabel } from '../runs/run-label.js';
import { manifestPath, readManifest, type RunManifest } from '../runs/run-manifest.js';
import { readResult } from '../runs/run-result.js';
import { runSeconds } from '../runs/run-seconds.js';
import { messageOf } from '../errors/message-of.js';
import { ReadOnChange } from './file-signature.js';

/**
 * A run in a list without the fields that depend on the list: its key, and the settings that differ from other runs.
 */
export type RunLine = Omit<ListedRun, 'key' | 'settings'> & {
  readonly id: string;
  /** The recipe keys that may become its settings. */
  readonly leaves: { readonly [key: string]: Json };
};

/** Bytes to read from the end of a log: about a hundred steps, including an evaluation. */
const tailBytes = 1 << 18;

/** What a list shows of a folder: its run, or why a folder with a manifest cannot be read. Nothing for other folders. */
interface FolderSummary {
  readonly line?: RunLine;
  readonly why?: string;
}

/** Reads the status of runs; reads a run again only if it changed. */
export class WatchedRuns {
  readonly #known = new ReadOnChange<FolderSummary & { readonly manifest?: RunManifest }>();

  async summarize(directory: string): Promise<FolderSummary> {
    const logs = ['label.json', 'result.json', 'metrics.jsonl'].map((name) => join(directory, name));
    const files = [manifestPath(directory), ...logs] as const;
    const { line, manifest, why } = await this.#known.read(files, () => readSummary(directory));
    if (line === undefined || manifest === undefined) return why === undefined ? {} : { why };
    try {
      // A process may die without changing a file.
      return { line: { ...line, status: presentStatus(directory, manifest) } };
    } catch {
      // The folder was removed just now.
      return {};
    }
  }
}

async function readSummary(directory: string) {
  try {
    const manifest = await readManifest(directory);
    return { manifest, line: await runLine(directory, manifest) };
  } catch (error) {
    return existsSync(manifestPath(directory)) ? { why: messageOf(error) } : {};
  }
}

async function runLine(directory: string, manifest: RunManifest): Promise<RunLine> {
  const [result, { name, tags }, metrics] = await Promise.all([
    readResult(directory),
    readLabel(directory),
    lastMetrics(join(directory, 'metrics.jsonl')),
  ]);
  const { recipe } = manifest;
  const last = metrics.at(-1);
  const final = result?.evaluation?.success.rate;
  return {
    id: manifest.id,
    recipe: manifest.name,
    ...(name !== undefined && { name }),
    tags,
    seed: recipe.seed,
    status: manifest.status,
    createdAt: manifest.createdAt,
    stage: last?.stage ?? null,
    steps: last?.runStep ?? 0,
    stepsWanted: Object.values(recipe.stages).reduce((sum, { steps }) => sum + steps, 0),
    success: final === undefined ? successSoFar(metrics) : { rate: final, from: 'final' },
    algorithm: recipe.algorithm?.name ?? '',
    leaves: settingLeaves(recipe),
    finals: (result?.evaluations ?? []).map(({ temperature, success: { rate, low, high } }) => ({
      temperature,
      rate,
      low,
      high,
    })),
    seconds: Math.round(runSeconds(result, metrics)),
  };
}

function successSoFar(metrics: readonly RunMetricsLine[]): ListedSuccess | null {
  const ofLast = (pattern: RegExp) => {
    const found = metrics.flatMap((line) => {
      const names = Object.keys(line.metrics).filter((name) => pattern.test(name));
      // The lowest temperature, as in the final evaluation.
      const [name] = names.sort((a, b) => temperatureOf(a) - temperatureOf(b));
      const rate = name === undefined ? undefined : line.metrics[name];
      return rate === undefined || !Number.isFinite(rate) ? [] : [rate];
    });
    return found.at(-1);
  };
  const evaluated = ofLast(/^eval\/t[^/]+\/success$/);
  if (evaluated !== undefined) return { rate: evaluated, from: 'evaluated' };
  const trained = ofLast(/^rollout\/success$/);
  return trained === undefined ? null : { rate: trained, from: 'trained' };
}

function temperatureOf(name: string): number {
  return Number(/^eval\/t([^/]+)\//.exec(name)?.[1] ?? Infinity);
}

/**
 * The last complete lines of a log. Invalid lines are skipped, because a list shows the status of a run and not its
 * integrity.
 */
async function lastMetrics(file: string): Promise<RunMetricsLine[]> {
  if (!existsSync(file)) return [];
  const handle = await openRegularFile(file);
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    const text = buffer.toString('utf8', 0, bytesRead);
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    // The first line may be incomplete.
    return lines.slice(start === 0 ? 0 : 1).flatMap((line) => {
      try {
        return line === '' ? [] : [parseMetricsLine(JSON.parse(line) as Record<string, unknown>)];
      } catch {
        return [];
      }
    });
  } finally {
    await handle.close();
  }
}
