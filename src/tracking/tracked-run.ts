import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { messageOf } from '../errors/message-of.js';
import { curvesOf, parseMetricsLine } from '../files/metrics-log.js';
import { presentStatus } from '../runs/load-run.js';
import { readLabel } from '../runs/run-label.js';
import { readManifest, type RunManifest } from '../runs/run-manifest.js';
import { readResult } from '../runs/run-result.js';
import { ablationAround, identityOf, mlflowStatus, paramsOf, tagsOf } from './describe-run.js';
import { evaluationPoints } from './evaluation-points.js';
import { LineClock } from './line-clock.js';
import type { MlflowClient } from './mlflow-client.js';
import { MlflowRun, readMlflowRecord, type SentCounts, type StoredFile, sumOfSent } from './mlflow-run.js';
import { readNewLines } from './read-new-lines.js';

/** Something on disk that a tracker shows. */
export interface Tracked {
  /** What was sent so far, and sentences about what was refused or left out. */
  readonly sent: SentCounts;
  /**
   * Sends what the server lacks. After an error, the next call finds out anew what that is.
   *
   * @throws TrackingFailure, and the errors of the files
   */
  send(signal: AbortSignal): Promise<void>;
}

/** Pages that are stored with a run. Higher layers of the tool make them, from the folder of a run or an ablation. */
export interface TrackedPages {
  /** The report as HTML. */
  readonly report: (directory: string) => Promise<string>;
  /** The results as Markdown. */
  readonly markdown: (directory: string) => Promise<string>;
}

/** Largest stored file in bytes. A file is held in memory while it is sent. */
const largestFile = 256 << 20;

/**
 * A run and its copy on MLflow. The files of the run are the truth, whether it runs, has ended or was killed: each call
 * of `send` reads what is new in them.
 */
export class TrackedRun implements Tracked {
  #open: { readonly run: MlflowRun; readonly clock: LineClock; position: number } | undefined;
  #counts: SentCounts = { points: 0, artifacts: 0, refusals: [] };
  readonly #notes = new Set<string>();

  constructor(
    readonly directory: string,
    private readonly client: MlflowClient,
    private readonly pages: Pick<TrackedPages, 'report'>,
  ) {}

  get sent(): SentCounts {
    const notes = { points: 0, artifacts: 0, refusals: [...this.#notes] };
    return sumOfSent([this.#counts, this.#open?.run.sent, notes]);
  }

  /** Id of the run on MLflow; undefined until the server has answered. */
  get runId(): string | undefined {
    return this.#open?.run.runId;
  }

  async send(signal: AbortSignal): Promise<void> {
    try {
      await this.#send(signal);
    } catch (error) {
      this.#counts = sumOfSent([this.#counts, this.#open?.run.sent]);
      this.#open = undefined;
      throw error;
    }
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { directory, client } = this;
    const [manifest, label] = [await readManifest(directory), await readLabel(directory)];
    const status = presentStatus(directory, manifest);
    const open = (this.#open ??= {
      run: await MlflowRun.open(client, directory, identityOf(directory, manifest, label), signal),
      clock: new LineClock(manifest),
      position: 0,
    });
    const { run } = open;
    const ablation = ablationAround(directory);
    const parent = ablation && (await readMlflowRecord(ablation, client.access.host))?.runId;
    const tags = tagsOf(directory, { manifest, label, status, parent });
    await run.describe(tags, paramsOf(manifest.recipe), signal);
    if (status === 'running') await run.setStatus('RUNNING', signal);
    for (;;) {
      const { documents, end } = await readNewLines(join(directory, 'metrics.jsonl'), open.position);
      const lines = documents.map(parseMetricsLine);
      const points = lines.flatMap((line) => {
        const timestamp = open.clock.timeOf(line);
        return curvesOf(line).map(([name, value]) => ({ name, value, step: line.runStep, timestamp }));
      });
      await run.add(points, signal);
      open.position = end;
      if (documents.length === 0) break;
    }
    if (status === 'running') return;
    const endTime = this.#endTime();
    const result = await readResult(directory);
    if (result !== undefined) await run.add(evaluationPoints(result, endTime), signal);
    const pages = () => (status === 'completed' ? this.#report() : Promise.resolve([]));
    await run.store(await this.#files(manifest), pages, signal);
    await run.setStatus(mlflowStatus[status], signal, endTime);
  }

  async #files(manifest: RunManifest): Promise<StoredFile[]> {
    const files: StoredFile[] = [
      { name: 'recipe.json', content: bytesOf(`${JSON.stringify(manifest.recipe, null, 2)}\n`) },
    ];
    for (const name of ['manifest.json', 'result.json', 'evaluations.jsonl']) {
      const path = join(this.directory, name);
      const size = statSync(path, { throwIfNoEntry: false })?.size;
      if (size === undefined) continue;
      if (size > largestFile)
        this.#notes.add(`${name} has ${size} bytes and is not stored; the limit is ${largestFile}`);
      else files.push({ name, content: new Uint8Array(await readFile(path)) });
    }
    return files;
  }

  /** A page that cannot be made is left out, because the rest of the run does not depend on it. */
  async #report(): Promise<StoredFile[]> {
    try {
      return [{ name: 'report.html', content: bytesOf(await this.pages.report(this.directory)) }];
    } catch (error) {
      this.#notes.add(`the report could not be made: ${messageOf(error)}`);
      return [];
    }
  }

  /** The last change of the files that tell how a run ended, in milliseconds since 1970. */
  #endTime(): number {
    const paths = ['manifest.json', 'metrics.jsonl'].map((name) => join(this.directory, name));
    return Math.max(...paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0));
  }
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
