import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import type { Episode, TokenRecord } from '../contracts/trajectory.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { ReportEpisode, ReportTokens } from '../reporting/report-data.js';
import { evaluationEpisodes } from './evaluator.js';

/** How much of a run's episodes a page may carry. */
export interface EpisodeLimits {
  readonly count: number;
  /** Of the logs' lines together. */
  readonly bytes: number;
}

export interface ReportedEpisodes {
  readonly episodes: readonly ReportEpisode[];
  /** All that the run recorded. */
  readonly recorded: number;
  /** Logs whose last line was half-written. */
  readonly halfWritten: readonly string[];
}

/** A line of `episodes/*.jsonl`. */
type EpisodeLine = Episode & { readonly stage: string; readonly step: number; readonly runStep: number };

/** Fields that later versions record beside the tokens. */
type TokenDetails = Partial<Pick<ReportTokens, 'pieces' | 'advantages' | 'kl'>>;

interface Line {
  readonly log: string;
  /** Bytes from the start of the log, the line feed left out. */
  readonly start: number;
  readonly end: number;
}

/**
 * The recorded episodes of a run, so many as a page can carry: first those of the final evaluations, from their first task on, so that
 * policies stay paired; then those of training, evenly over its course. Logs may be larger than memory: only the chosen lines are read.
 *
 * @throws AG_RUN_DAMAGED naming a line that is no JSON
 */
export async function reportEpisodes(run: string, limits: EpisodeLimits): Promise<ReportedEpisodes> {
  const folder = join(run, 'episodes');
  const files = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith('.jsonl')).sort();
  const handles = new Map<string, FileHandle>();
  try {
    const halfWritten: string[] = [];
    const lines = new Map<string, Line[]>();
    for (const log of files) {
      const handle = await open(join(folder, log));
      handles.set(log, handle);
      const found = await findLines(log, handle);
      lines.set(log, found.lines);
      if (found.rest > 0) halfWritten.push(`episodes/${log}`);
    }
    const episodes: ReportEpisode[] = [];
    for (const line of chooseLines(lines, limits)) {
      const buffer = Buffer.alloc(line.end - line.start);
      await handles.get(line.log)?.read(buffer, 0, buffer.length, line.start);
      episodes.push(reportEpisode(parseLine(buffer.toString('utf8'), join(folder, line.log), line.start)));
    }
    const recorded = [...lines.values()].reduce((sum, { length }) => sum + length, 0);
    return { episodes, recorded, halfWritten };
  } finally {
    await Promise.all([...handles.values()].map((handle) => handle.close()));
  }
}

/** Where the whole lines of a log are, and how many bytes of a half one follow them. */
async function findLines(log: string, handle: FileHandle): Promise<{ lines: Line[]; rest: number }> {
  const lines: Line[] = [];
  let start = 0;
  let position = 0;
  const buffer = Buffer.alloc(1 << 20);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return { lines, rest: position - start };
    const chunk = buffer.subarray(0, bytesRead);
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) {
      lines.push({ log, start, end: position + at });
      start = position + at + 1;
    }
    position += bytesRead;
  }
}

function chooseLines(logs: ReadonlyMap<string, readonly Line[]>, limits: EpisodeLimits): Line[] {
  const isEvaluation = (log: string) => Object.values(evaluationEpisodes).some((name) => log === `${name}.jsonl`);
  const evaluations = [...logs].filter(([log]) => isEvaluation(log)).map(([, lines]) => lines);
  const training = [...logs].filter(([log]) => !isEvaluation(log)).flatMap(([, lines]) => lines);
  // Row by row over the logs: the same tasks of each, as many as half of the page takes.
  const rows = Array.from({ length: Math.max(0, ...evaluations.map(({ length }) => length)) }, (_, row) =>
    evaluations.flatMap((lines) => lines[row] ?? []),
  ).flat();
  const half = { count: Math.ceil(limits.count / 2), bytes: limits.bytes / 2 };
  const paired = takeFirst(rows, training.length === 0 ? limits : half);
  const left = { count: limits.count - paired.length, bytes: limits.bytes - bytesOf(paired) };
  return [...takeEvenly(training, left), ...paired];
}

function takeFirst(lines: readonly Line[], { count, bytes }: EpisodeLimits): Line[] {
  let total = 0;
  const end = lines.findIndex((line) => (total += bytesOf([line])) > bytes);
  return lines.slice(0, Math.min(count, end === -1 ? lines.length : end));
}

/** First and last among them. */
function takeEvenly(lines: readonly Line[], { count, bytes }: EpisodeLimits): Line[] {
  const share = Math.min(1, bytes / Math.max(1, bytesOf(lines)));
  const kept = Math.max(0, Math.min(lines.length, count, Math.floor(lines.length * share)));
  const gap = kept > 1 ? (lines.length - 1) / (kept - 1) : 0;
  return Array.from({ length: kept }, (_, i) => lines[Math.round(i * gap)]).filter((line) => line !== undefined);
}

function bytesOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { start, end }) => sum + end - start, 0);
}

function parseLine(text: string, file: string, byte: number): EpisodeLine {
  try {
    return JSON.parse(text) as EpisodeLine;
  } catch (error) {
    const message = `The line at byte ${byte} of ${file} is no JSON.`;
    throw new AgentgymError('AG_RUN_DAMAGED', { message, file, cause: error });
  }
}

function reportEpisode(line: EpisodeLine): ReportEpisode {
  const { stage, step, runStep, task, group, member, retries, turns } = line;
  const place = { stage, step, runStep, task, group, member, retries, turns };
  if (line.status === 'failed') {
    return { ...place, outcome: 'failed', cause: `${line.failure.phase}: ${line.failure.message}`, return: null };
  }
  const { success, truncated, finalObservation, record } = line;
  return {
    ...place,
    outcome: success ? 'solved' : truncated === undefined ? 'lost' : 'truncated',
    ...(truncated !== undefined && { cause: truncated }),
    return: line.return,
    finalObservation,
    ...(record !== undefined && { record: reportTokens(record) }),
  };
}

function reportTokens({ tokens, mask, logprobs, pieces, advantages, kl }: TokenRecord & TokenDetails): ReportTokens {
  return {
    tokens,
    mask,
    logprobs: logprobs.map(shorten),
    ...(pieces !== undefined && { pieces }),
    ...(advantages !== undefined && { advantages: advantages.map(shorten) }),
    ...(kl !== undefined && { kl: kl.map(shorten) }),
  };
}

/** Five significant digits: what a page shows of a number that stands there by the hundred thousand. */
function shorten(value: number | null): number | null {
  // The log has null for a number that is not finite.
  return value === null ? null : Number(value.toPrecision(5));
}
