import { join } from 'node:path';

import type { MetricsLine } from '../contracts/journal.js';
import { AppendLog } from './append-log.js';
import { TensorBoardEvents } from './tensorboard-events.js';

/** A metrics line with its step in the whole run: the steps of earlier stages plus those of this stage. */
export interface RunMetricsLine extends MetricsLine {
  readonly runStep: number;
}

/** Writes `metrics.jsonl`, and the same scalars to TensorBoard's files beside it. */
export class MetricsLog {
  readonly #lines: AppendLog;
  readonly #events: TensorBoardEvents | undefined;

  /**
   * @param keep bytes of an earlier session's lines to keep.
   * @param tensorboard whether TensorBoard's files are written.
   * @param purgeStep first run step that will be written again; absent in a new run.
   */
  constructor(directory: string, keep: number, tensorboard: boolean, purgeStep?: number) {
    this.#lines = new AppendLog(join(directory, 'metrics.jsonl'), keep);
    this.#events = tensorboard ? new TensorBoardEvents(directory, purgeStep) : undefined;
  }

  get bytes(): number {
    return this.#lines.bytes;
  }

  get digest(): string {
    return this.#lines.digest;
  }

  write(line: RunMetricsLine): void {
    this.#lines.appendLine(metricsDocument(line));
    this.#events?.scalars(line.runStep, Object.fromEntries(curvesOf(line)));
  }

  async sync(): Promise<void> {
    await this.#lines.sync();
  }

  close(): void {
    this.#lines.close();
    this.#events?.close();
  }
}

/**
 * The metrics of a line under the names of their curves in trackers. A name ends with the stage, so `train/loss/sft`
 * and `train/loss/rl` are separate curves side by side.
 */
export function curvesOf({ stage, metrics }: Pick<RunMetricsLine, 'stage' | 'metrics'>): (readonly [string, number])[] {
  return Object.entries(metrics).map(([name, value]) => [`${name}/${stage}`, value] as const);
}

/** Flat, so that a line is a row of a table. JSON cannot express numbers that are not finite, so they are strings. */
function metricsDocument({ stage, step, runStep, metrics }: RunMetricsLine): object {
  const values = Object.entries(metrics).map(([name, value]) => [name, Number.isFinite(value) ? value : String(value)]);
  return { formatVersion: 1, stage, step, runStep, ...(Object.fromEntries(values) as object) };
}

/** Reads a line of `metrics.jsonl` back. */
export function parseMetricsLine(document: { readonly [key: string]: unknown }): RunMetricsLine {
  const { formatVersion: _, stage, step, runStep, ...metrics } = document;
  return {
    stage: String(stage),
    step: Number(step),
    runStep: Number(runStep),
    metrics: Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, Number(value)])),
  };
}
