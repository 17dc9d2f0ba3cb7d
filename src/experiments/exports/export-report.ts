import { join } from 'node:path';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { findSubjects, runsOfSubjects } from './exported-subjects.js';
import { tableNames } from './table-columns.js';
import { saveMarkdown, writeMarkdown } from './write-markdown.js';
import { writeTables } from './write-tables.js';

export interface ExportRequest {
  /** Runs and ablations as commands take them. */
  readonly references: readonly string[];
  readonly runsFolder: string;
  readonly format: 'csv' | 'parquet' | 'markdown';
  /** Folder of tables; file of Markdown. Absent: `tables` in the first subject's folder; standard output. */
  readonly output?: string;
  readonly force: boolean;
  readonly version: string;
}

/** What was exported: for a person, and as the document of `--json`. */
export interface ExportedReport {
  readonly lines: readonly string[];
  readonly notes: readonly string[];
  readonly document: object;
}

/** Exports runs and ablations in another form than the page. Throws as `findSubjects`, `writeTables` and `writeMarkdown`. */
export async function exportReport(request: ExportRequest): Promise<ExportedReport> {
  const { references, runsFolder, format, output, force, version } = request;
  const subjects = await findSubjects(references, runsFolder);
  if (format === 'markdown') {
    if (force && output === undefined) throw idleForce();
    const { markdown, notes } = await writeMarkdown(subjects);
    if (output === undefined) return { lines: [markdown.trimEnd()], notes, document: { markdown, notes } };
    const file = await saveMarkdown(markdown, output, force);
    return { lines: [`Report: ${file}`], notes, document: { report: file, notes } };
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

function idleForce(): AgentgymError {
  return new AgentgymError('AG_COMMAND_USAGE', {
    message: '`--force` has no effect without `--output`: standard output replaces no file.',
    hint: 'Leave it out, or name a file with `--output FILE`.',
  });
}
