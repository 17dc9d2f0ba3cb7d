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
  readonly #events: TensorBoardEvents;

  /**
   * @param keep bytes of an earlier session's lines to keep.
   * @param purgeStep first run step that will be written again; absent in a new run.
   */
  constructor(directory: string, keep: number, purgeStep?: number) {
    this.#lines = new AppendLog(join(directory, 'metrics.jsonl'), keep);
    this.#events = new TensorBoardEvents(directory, purgeStep);
  }

  get bytes(): number {
    return this.#lines.bytes;
  }

  get digest(): string {
    return this.#lines.digest;
  }

  /**
   * In TensorBoard the name ends with the stage. So `train/loss/sft` and `train/loss/rl` are separate curves side by
   * side.
   */
  write(line: RunMetricsLine): void {
    this.#lines.appendLine(metricsDocument(line));
    const named = Object.entries(line.metrics).map(([name, value]) => [`${name}/${line.stage}`, value] as const);
    this.#events.scalars(line.runStep, Object.fromEntries(named));
  }

  async sync(): Promise<void> {
    await this.#lines.sync();
  }

  close(): void {
    this.#lines.close();
    this.#events.close();
  }
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
