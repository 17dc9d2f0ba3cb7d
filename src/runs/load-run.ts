import { existsSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { longestLog, readWholeFile } from '../files/read-whole-file.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { parseMetricsLine, type RunMetricsLine } from '../files/metrics-log.js';
import { latestCheckpointFolder } from './checkpoints.js';
import type { EvaluationLine } from './disk-journal.js';
import { readLabel } from './run-label.js';
import { checkLine } from './recorded-shapes.js';
import { runOwner } from './run-lock.js';
import { readManifest, type RunManifest, type RunStatus } from './run-manifest.js';
import { readWholeResult, type RunResult } from './run-result.js';
import { readTrainerState } from './trainer-state.js';

/** A run on disk, finished or not. */
export interface LoadedRun {
  readonly directory: string;
  readonly manifest: RunManifest;
  /** The name that the user gave it, if any. */
  readonly name?: string | undefined;
  /** The status in the manifest. But a run whose process died silently is `interrupted`, because it can be resumed. */
  readonly status: RunStatus;
  readonly metrics: readonly RunMetricsLine[];
  readonly evaluations: readonly (EvaluationLine & { readonly runStep: number })[];
  /** Absent until the run has ended. */
  readonly result?: RunResult;
  /** Logs with an incomplete last line, because the run continues or its process was killed; whole lines were read. */
  readonly halfWritten: readonly string[];
  /** Logs that differ from their state at the newest checkpoint: a user or a failing disk changed them. */
  readonly changed: readonly string[];
  /** The folder of the newest complete checkpoint; absent before the first. */
  readonly checkpoint?: string;
}

/**
 * Reads a run without changing it, even while it is being written. An incomplete line at the end of a log is left out.
 * Throws AG_NOT_A_RUN or AG_RUN_DAMAGED.
 */
export async function loadRun(directory: string): Promise<LoadedRun> {
  const [manifest, { name }, metrics, evaluations, result, checkpoint] = await Promise.all([
    readManifest(directory),
    readLabel(directory),
    readLines(join(directory, 'metrics.jsonl'), 'metrics'),
    readLines(join(directory, 'evaluations.jsonl'), 'evaluation'),
    readWholeResult(directory),
    latestCheckpointFolder(directory),
  ]);
  return {
    directory,
    manifest,
    name,
    status: presentStatus(directory, manifest),
    metrics: metrics.lines.map(parseMetricsLine),
    evaluations: evaluations.lines as unknown as LoadedRun['evaluations'],
    changed: await changedSince(checkpoint, { 'metrics.jsonl': metrics.bytes, 'evaluations.jsonl': evaluations.bytes }),
    halfWritten: [...(metrics.half ? ['metrics.jsonl'] : []), ...(evaluations.half ? ['evaluations.jsonl'] : [])],
    ...(result !== undefined && { result }),
    ...(checkpoint !== undefined && { checkpoint }),
  };
}

/** A running run may have a newer checkpoint than its read logs; this is not a change. */
async function changedSince(
  checkpoint: string | undefined,
  contents: { readonly [log: string]: Buffer },
): Promise<readonly string[]> {
  const state = checkpoint === undefined ? undefined : await readTrainerState(checkpoint);
  if (state === undefined || typeof state === 'string') return [];
  const { logs, digests = {} } = state;
  return Object.entries(contents).flatMap(([name, content]) => {
    const bytes = logs[name] ?? Infinity;
    if (digests[name] === undefined || content.length < bytes) return [];
    const present = createHash('sha256').update(content.subarray(0, bytes)).digest('hex');
    return present === digests[name] ? [] : [name];
  });
}

/** `running` only while a living process holds the run's lock. */
export function presentStatus(directory: string, manifest: RunManifest): RunStatus {
  if (manifest.status === 'running' && runOwner(directory) === undefined) return 'interrupted';
  return manifest.status;
}

/**
 * The whole lines of a JSONL file, and whether an incomplete line follows them. Empty if it does not exist yet. Throws
 * AG_RUN_DAMAGED, naming a line that is not JSON, or not of that shape.
 */
async function readLines(path: string, shape: 'metrics' | 'evaluation') {
  const bytes = existsSync(path) ? await readWholeFile(path, longestLog) : Buffer.alloc(0);
  const text = bytes.toString('utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = whole.split('\n').slice(0, -1);
  const documents = lines.map((line, index) => {
    let document: { [key: string]: unknown };
    try {
      document = JSON.parse(line) as typeof document;
    } catch (error) {
      const message = `Line ${index + 1} of ${path} is not JSON.`;
      throw new AgentgymError('AG_RUN_DAMAGED', { message, file: path, line: index + 1, cause: error });
    }
    checkLine(shape, document, path, index + 1);
    return document;
  });
  return { bytes, lines: documents, half: whole.length < text.length };
}
