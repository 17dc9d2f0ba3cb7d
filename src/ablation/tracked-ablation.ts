import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { ablationPath } from '../runs/folder-kind.js';
import { runOwner } from '../runs/run-lock.js';
import { sourceTags } from '../tracking/describe-run.js';
import type { MlflowClient } from '../tracking/mlflow-client.js';
import {
  type MetricPoint,
  MlflowRun,
  type MlflowStatus,
  type SentCounts,
  type StoredFile,
  sumOfSent,
} from '../tracking/mlflow-run.js';
import { bytesOf, type Tracked, TrackedRun, type TrackedPages } from '../tracking/tracked-run.js';
import { readAblation, runsOf, type AblationManifest } from './ablation-directory.js';
import type { AblationResult } from './ablation-result.js';
import { readAblationResult } from './read-ablation-result.js';

const statuses: { readonly [status in AblationResult['status']]: MlflowStatus } = {
  completed: 'FINISHED',
  failed: 'FAILED',
  incomplete: 'KILLED',
};

/**
 * An ablation on MLflow: a parent run with the question, the answer and the report, and the runs of its cells below it.
 * While it is worked on, only the parent run is kept, and its cells follow themselves. Afterwards all cells are sent,
 * also those that finished before, so that everything is there.
 */
export class TrackedAblation implements Tracked {
  #parent: MlflowRun | undefined;
  readonly #cells = new Map<string, TrackedRun>();
  #counts: SentCounts = { points: 0, artifacts: 0, refusals: [] };

  constructor(
    readonly directory: string,
    private readonly client: MlflowClient,
    private readonly pages: TrackedPages,
  ) {}

  get sent(): SentCounts {
    return sumOfSent([this.#counts, this.#parent?.sent, ...[...this.#cells.values()].map((cell) => cell.sent)]);
  }

  /** Id of the parent run on MLflow; undefined until the server has answered. */
  get runId(): string | undefined {
    return this.#parent?.runId;
  }

  async send(signal: AbortSignal): Promise<void> {
    try {
      await this.#send(signal);
    } catch (error) {
      if (this.#parent !== undefined) this.#counts = { ...this.#parent.sent };
      this.#parent = undefined;
      throw error;
    }
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { directory, client } = this;
    const manifest = await readAblation(directory);
    const isRunning = runOwner(directory) !== undefined;
    const identity = {
      tag: 'agentgym.ablation',
      value: manifest.fingerprint,
      startTime: Date.parse(manifest.createdAt),
      name: manifest.name,
    };
    const parent = (this.#parent ??= await MlflowRun.open(client, directory, identity, signal));
    await parent.describe(tagsOf(manifest), paramsOf(manifest), signal);
    if (isRunning) {
      await parent.setStatus('RUNNING', signal);
      return;
    }
    for (const run of runsOf(directory, manifest)) {
      const hasBegun = await stat(join(run.directory, 'manifest.json')).catch(() => undefined);
      // A run that goes on after its ablation was stopped sends itself.
      if (hasBegun === undefined || runOwner(run.directory) !== undefined) continue;
      const cell = this.#cells.get(run.directory) ?? new TrackedRun(run.directory, client, this.pages);
      this.#cells.set(run.directory, cell);
      await cell.send(signal);
    }
    const result = await readAblationResult(directory);
    if (result === undefined) return parent.setStatus('KILLED', signal, Date.now());
    const endTime = (await stat(join(directory, 'result.json'))).mtimeMs;
    const markdown = await this.pages.markdown(directory);
    await parent.describe(answerTags(result, markdown), {}, signal);
    await parent.add(pointsOf(result, endTime), signal);
    await parent.store(await this.#files(), () => this.#pages(markdown), signal);
    await parent.setStatus(statuses[result.status], signal, endTime);
  }

  async #files(): Promise<StoredFile[]> {
    const paths = [ablationPath(this.directory), join(this.directory, 'result.json')];
    return Promise.all(
      paths.map(async (path) => ({ name: basename(path), content: new Uint8Array(await readFile(path)) })),
    );
  }

  async #pages(markdown: string): Promise<StoredFile[]> {
    return [
      { name: 'answer.md', content: bytesOf(markdown) },
      { name: 'report.html', content: bytesOf(await this.pages.report(this.directory)) },
    ];
  }
}

function tagsOf({ fingerprint, question, versions, command }: AblationManifest): Record<string, string> {
  return {
    'agentgym.ablation': fingerprint,
    'agentgym.question': question,
    ...sourceTags(versions['agentgym'], command),
  };
}

/** `mlflow.note.content` is the description on MLflow's page of a run, in Markdown. */
function answerTags({ answer, status }: AblationResult, markdown: string): Record<string, string> {
  return { 'agentgym.answer': answer, 'agentgym.status': status, 'mlflow.note.content': markdown };
}

/** Seeds may be added later, so they are no param: MLflow refuses to change one. */
function paramsOf({ axis, reference, cells }: AblationManifest): Record<string, string> {
  return { axis, reference, cells: cells.map(({ id }) => id).join(', ') };
}

/** Success of each cell over its seeds. The step is the number of seeds, as the estimate changes with it. */
function pointsOf({ cells }: AblationResult, timestamp: number): MetricPoint[] {
  return cells.flatMap(({ id, success, seeds }) => {
    if (success === null) return [];
    const { rate, low, high } = success;
    return Object.entries({ success: rate, success_low: low, success_high: high }).map(([name, value]) => ({
      name: `cell/${id}/${name}`,
      value,
      step: seeds.length,
      timestamp,
    }));
  });
}
