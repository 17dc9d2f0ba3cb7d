import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { AgentgymError } from '../errors/agentgym-error.js';
import type { Demonstration } from './demonstration.js';
import { allTasks } from './task-order.js';
import type { Splits, TaskList } from './world-handle.js';

export interface ReadDemonstrationsOptions {
  readonly file: string;
  /** System prompt for lines without one. */
  readonly system: string;
  /** A line with a task of validation or test is refused. */
  readonly splits: Splits;
  /** Stops after this number; absent: reads all. */
  readonly count?: number;
}

/**
 * Reads demonstrations from JSON lines: `{"task"?, "system"?, "observations": [...], "texts": [...]}`, one episode per
 * line, with as many observations as texts, or one more. Empty lines are skipped, other keys ignored.
 *
 * @throws AG_DEMONSTRATION with file and line
 */
export async function readDemonstrations(options: ReadDemonstrationsOptions): Promise<Demonstration[]> {
  const { file, system, splits, count = Infinity } = options;
  const heldOut = new Set([...(await idsOf(splits.validation)), ...(await idsOf(splits.test))]);
  const demonstrations: Demonstration[] = [];
  const stream = createReadStream(file, 'utf8');
  let number = 0;
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      number += 1;
      if (demonstrations.length >= count) break;
      if (line.trim() === '') continue;
      const parsed = parseLine(line);
      if (typeof parsed === 'string') throw refusal(file, number, parsed);
      if (parsed.task !== undefined && heldOut.has(parsed.task)) {
        throw refusal(file, number, `its task "${parsed.task}" is in the validation or test split`);
      }
      demonstrations.push({
        name: `${file}:${number}`,
        ...(parsed.task !== undefined && { task: parsed.task }),
        system: parsed.system ?? system,
        observations: parsed.observations,
        texts: parsed.texts,
      });
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new AgentgymError('AG_DEMONSTRATION', { message: `${file} cannot be read: ${error.message}`, file });
    }
    throw error;
  } finally {
    stream.destroy();
  }
  if (demonstrations.length === 0) {
    throw new AgentgymError('AG_DEMONSTRATION', { message: `${file} has no demonstrations.`, file });
  }
  return demonstrations;
}

interface Line {
  readonly task?: string;
  readonly system?: string;
  readonly observations: readonly string[];
  readonly texts: readonly string[];
}

/** The parsed line, or its problem. */
function parseLine(line: string): Line | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'it is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not a JSON object';
  const { task, system, observations, texts } = value as Record<string, unknown>;
  if (task !== undefined && typeof task !== 'string') return '"task" is not a string';
  if (system !== undefined && typeof system !== 'string') return '"system" is not a string';
  if (!isTexts(observations)) return '"observations" is not a list of strings';
  if (!isTexts(texts) || texts.length === 0) return '"texts" is not a list of strings';
  if (observations.length !== texts.length && observations.length !== texts.length + 1) {
    return `it has ${observations.length} observations for ${texts.length} texts`;
  }
  return { ...(task !== undefined && { task }), ...(system !== undefined && { system }), observations, texts };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Ids of a bounded split; empty for an unbounded split, which cannot be listed. */
async function idsOf(tasks: TaskList): Promise<readonly string[]> {
  return tasks.count === 'unbounded' ? [] : allTasks(tasks);
}

function refusal(file: string, line: number, complaint: string): AgentgymError {
  return new AgentgymError('AG_DEMONSTRATION', {
    message: `Line ${line} of ${file} is not a demonstration: ${complaint}.`,
    file,
    line,
  });
}
