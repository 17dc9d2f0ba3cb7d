import { AgentgymError } from '../errors/agentgym-error.js';

/** What is wrong with a file of rows. */
export interface DataProblem {
  /** A sentence without its subject, the file or the row, and without its full stop. */
  readonly problem: string;
  readonly hint: string;
  /** The row, from 1. */
  readonly row?: number;
  /** Rows of this file are lines. */
  readonly lines?: boolean;
  readonly cause?: unknown;
}

/** AG_DATA with the file, and the row if the problem has one. */
export function dataError(file: string, { problem, hint, row, lines = false, cause }: DataProblem): AgentgymError {
  return new AgentgymError('AG_DATA', {
    message: row === undefined ? `${file} ${problem}.` : `${rowName(file, row)} ${problem}.`,
    hint,
    file,
    ...(lines && row !== undefined && { line: row }),
    cause,
  });
}

/** A row in words; `row` counts from 1. */
export function rowName(file: string, row: number): string {
  return `Row ${row} of ${file}`;
}

/** AG_DATA_CHANGED for a file that is not what it was. */
export function dataChanged(file: string, problem: string): AgentgymError {
  return new AgentgymError('AG_DATA_CHANGED', { message: `${file} ${problem}.`, file });
}
