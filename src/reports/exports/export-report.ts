import { join } from 'node:path';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { drawFigure, figureMark } from '../../reporting/chart/draw-figure.js';
import { gatherReport } from '../gather-report.js';
import { findSubjects, runsOfSubjects, type ExportedSubjects } from './exported-subjects.js';
import { figureOfReport, type FigureChoice } from './figure-of-report.js';
import { saveDocument } from './save-document.js';
import { tableNames } from './table-columns.js';
import { markdownMark, writeMarkdown } from './write-markdown.js';
import { writeTables } from './write-tables.js';

export interface ExportRequest {
  /** Runs and ablations as commands accept them. */
  readonly references: readonly string[];
  readonly runsFolder: string;
  readonly format: 'csv' | 'parquet' | 'markdown' | 'svg';
  /** The metric and the axis of a figure. */
  readonly figure?: FigureChoice;
  /**
   * Folder of tables, or file of Markdown or of a figure. Absent: `tables` in the first subject's folder, or standard
   * output.
   */
  readonly output?: string;
  readonly force: boolean;
  readonly version: string;
}

/** The result of an export: for a reader, and as the document of `--json`. */
export interface ExportedReport {
  readonly lines: readonly string[];
  readonly notes: readonly string[];
  readonly document: object;
}

/**
 * Exports runs and ablations in another format than the page. Throws as `findSubjects` and the writers of the format.
 */
export async function exportReport(request: ExportRequest): Promise<ExportedReport> {
  const { references, runsFolder, format, output, force, version } = request;
  if (force && output === undefined && (format === 'markdown' || format === 'svg')) throw idleForce();
  const subjects = await findSubjects(references, runsFolder);
  if (format === 'markdown') {
    const { markdown, notes } = await writeMarkdown(subjects);
    return deliver(request, { text: markdown, mark: markdownMark, notes });
  }
  if (format === 'svg') {
    const { svg, notes } = await figureOf(subjects, request);
    return deliver(request, { text: svg, mark: figureMark, notes });
  }
  const { runs, notes } = await runsOfSubjects(subjects);
  const home = subjects.ablations[0]?.directory ?? subjects.runs[0] ?? '.';
  const written = await writeTables({ runs, format, output: output ?? join(home, 'tables'), force, version });
  const all = [...notes, ...written.notes];
  const counts = tableNames.map((table) => `${table} ${written.rows[table]}`).join(', ');
  return {
    lines: [`Rows: ${counts}`, `Tables: ${written.tables}`],
    notes: all,
    document: { ...written, notes: all },
  };
}

async function figureOf({ ablations, runs }: ExportedSubjects, { figure: choice, version }: ExportRequest) {
  const folders = [...ablations.map(({ directory }) => directory), ...runs];
  const data = await gatherReport({ runs: folders, episodes: 0, version });
  const { figure, notes } = figureOfReport(data, choice ?? { metric: 'success' });
  return { svg: drawFigure(figure), notes: [...data.notes, ...notes] };
}

/** Writes a document to its file, or to standard output. */
async function deliver(
  { format, output, force }: ExportRequest,
  { text, mark, notes }: { readonly text: string; readonly mark: string; readonly notes: readonly string[] },
): Promise<ExportedReport> {
  if (output === undefined) return { lines: [text.trimEnd()], notes, document: { [format]: text, notes } };
  const file = await saveDocument({ text, mark, format, output, force });
  return { lines: [`Report: ${file}`], notes, document: { report: file, notes } };
}

function idleForce(): AgentgymError {
  return new AgentgymError('AG_COMMAND_USAGE', {
    message: '`--force` has no effect without `--output`: standard output overwrites no file.',
    hint: 'Remove it, or give a file with `--output FILE`.',
  });
}
