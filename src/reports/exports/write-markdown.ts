import { basename } from 'node:path';

import { readAblationResult } from '../../ablation/read-ablation-result.js';
import { readBegunRuns, summarizeCells } from '../../ablation/summarize-ablation.js';
import { heading, paragraph, type Block } from '../../reporting/blocks/block.js';
import { spentText } from '../../reporting/blocks/tell-costs.js';
import { finalBlocks } from '../../reporting/blocks/tell-players.js';
import { visibleText } from '../../reporting/display-text.js';
import { markdownLines } from '../../reporting/markdown-blocks.js';
import { compareRuns } from '../compare-runs.js';
import { loadRun, type LoadedRun } from '../../runs/load-run.js';
import { totalsOfMetrics } from '../../training/spending.js';
import { ablationSection } from '../ablation-blocks.js';
import { comparisonBlocks } from '../comparison-blocks.js';
import { reportEvaluations } from '../report-run.js';
import { logNotes } from '../run-notes.js';
import type { ExportedSubjects } from './exported-subjects.js';

/** First line of the written document; a file that starts with it may be overwritten. */
export const markdownMark = '<!-- Written by `agentgym report --format markdown`: change the runs, not this page. -->';

export interface Markdown {
  readonly markdown: string;
  readonly notes: readonly string[];
}

/**
 * Tables of each ablation, and of the runs: the players of a single run, or the comparison of several. Throws as the
 * functions that read them.
 */
export async function writeMarkdown({ ablations, runs }: ExportedSubjects): Promise<Markdown> {
  const notes: string[] = [];
  const sections: (readonly [title: string, blocks: readonly Block[]])[] = [];
  for (const { directory, manifest } of ablations) {
    const { measure, temperature } = (await readAblationResult(directory)) ?? { measure: 'success', temperature: 0 };
    const begun = await readBegunRuns(directory, manifest);
    const result = summarizeCells(directory, manifest, begun, { measure, temperature });
    if (result.status !== 'completed')
      notes.push(`${basename(directory)} is ${result.status}: these are its results so far.`);
    const [cell] = manifest.cells;
    const temperatures = (cell?.recipe.evaluation.final.temperatures ?? []).filter((other) => other !== temperature);
    const others = temperatures.map((other) =>
      summarizeCells(directory, manifest, begun, { measure, temperature: other }),
    );
    const played = others.filter(({ cells }) => cells.some(({ success }) => success !== null));
    sections.push([result.name, ablationSection(result, manifest.command, played)]);
  }
  const [first, ...others] = runs;
  if (first !== undefined && others.length === 0) {
    const run = await loadRun(first);
    notes.push(...logNotes(run, run.halfWritten));
    const { name, recipe } = run.manifest;
    sections.push([`${run.name ?? name}, seed ${recipe.seed}`, runSection(run)]);
  } else if (first !== undefined) {
    const comparison = await compareRuns(runs, { measure: 'success', temperature: 0 });
    notes.push(...comparison.notes);
    sections.push(['Runs', comparisonBlocks(comparison)]);
  }
  const lines = sections.flatMap(([title, blocks]) => [
    ...['', ...markdownLines([heading(title)], 2)],
    ...['', ...markdownLines(blocks)],
  ]);
  // People may read Markdown with `cat`.
  return { markdown: `${visibleText([markdownMark, ...lines].join('\n'))}\n`, notes };
}

/** The players of a run with their intervals, and its costs. `labels`: who appears in tables by label. */
export function runSection(
  run: LoadedRun,
  hasLabels: (evaluation: ReturnType<typeof reportEvaluations>[number]) => boolean = () => true,
): Block[] {
  const evaluations = reportEvaluations(run).map(({ labels, ...one }) => ({
    ...one,
    ...(labels && hasLabels(one) && { labels }),
  }));
  const players = finalBlocks(evaluations, 'all');
  const spent = spentText(totalsOfMetrics(run.metrics.at(-1)?.metrics ?? {}));
  return [
    ...(players.length === 0 ? [paragraph(`The run is ${run.status} and has no final evaluation.`)] : players),
    ...(spent === '' ? [] : [paragraph(`Spent: ${spent}.`)]),
  ];
}
