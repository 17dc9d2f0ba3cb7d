import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { systemReason } from '../../reporting/append-log.js';
import { readAblationResult } from '../ablation/read-ablation-result.js';
import { summarizeAblation } from '../ablation/summarize-ablation.js';
import { compareRuns } from '../compare-runs.js';
import { loadRun } from '../load-run.js';
import { ablationMarkdown } from './ablation-markdown.js';
import type { ExportedSubjects } from './exported-subjects.js';
import { comparisonMarkdown, runMarkdown } from './run-markdown.js';

/** First line of what is written; a file that begins with it may be written anew. */
const mark = '<!-- Written by `agentgym report --format markdown`: change the runs, not this page. -->';

export interface Markdown {
  readonly markdown: string;
  readonly notes: readonly string[];
}

/** Tables of ablations, one by one, and of runs: of one its players, of several how they compare. Throws as what reads them. */
export async function writeMarkdown({ ablations, runs }: ExportedSubjects): Promise<Markdown> {
  const notes: string[] = [];
  const sections: string[][] = [];
  for (const { directory, manifest } of ablations) {
    const { measure, temperature } = (await readAblationResult(directory)) ?? { measure: 'success', temperature: 0 };
    const result = await summarizeAblation(directory, manifest, { measure, temperature });
    if (result.status !== 'completed')
      notes.push(`${basename(directory)} is ${result.status}: this is what it had come to.`);
    sections.push(ablationMarkdown(result, manifest.command));
  }
  const [first, ...others] = runs;
  if (first !== undefined && others.length === 0) {
    const run = await loadRun(first);
    if (run.halfWritten.length > 0) {
      const logs = run.halfWritten.join(' and ');
      notes.push(`Run ${run.manifest.id}: the last line of ${logs} was half-written and is left out.`);
    }
    sections.push(runMarkdown(run));
  } else if (first !== undefined) {
    const comparison = await compareRuns(runs, { measure: 'success', temperature: 0 });
    notes.push(...comparison.notes);
    sections.push(comparisonMarkdown(comparison));
  }
  const lines = sections.flatMap((section) => ['', ...section]);
  return { markdown: `${[mark, ...lines].join('\n')}\n`, notes };
}

/** Puts a page at its place, whole or not at all. Throws AG_OUTPUT_EXISTS where another's file is there, AG_REPORT_WRITE_FAILED. */
export async function saveMarkdown(markdown: string, output: string, force: boolean): Promise<string> {
  const file = resolve(output);
  await refuseOther(file, force);
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.writing`);
  try {
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(temporary, 'w');
    await handle.writeFile(markdown).finally(() => handle.close());
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new AgentgymError('AG_REPORT_WRITE_FAILED', {
      message: `Could not write ${file}: ${systemReason(error)}.`,
      file,
      cause: error,
    });
  }
  return file;
}

async function refuseOther(file: string, force: boolean): Promise<void> {
  if (force || !existsSync(file)) return;
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text?.startsWith(mark)) return;
  throw new AgentgymError('AG_OUTPUT_EXISTS', {
    message: `${file} exists already, and was not written by \`agentgym report --format markdown\`.`,
    hint: 'Choose another `--output FILE`, or write over it with `--force`.',
    file,
  });
}
