import { basename } from 'node:path';

import { trainedCells, type AblationResult } from '../ablation/ablation-result.js';
import { saturationOf } from '../ablation/saturation.js';
import { heading, paragraph, type Block } from '../reporting/blocks/block.js';
import { costBlocks } from '../reporting/blocks/tell-costs.js';
import { settingBlocks } from '../reporting/blocks/tell-results.js';
import { shellCommand } from '../runs/shell-command.js';
import { reportResults } from './report-ablation.js';

/** What `ablate` tells at its end. */
export function ablationBlocks(result: AblationResult): Block[] {
  return [paragraph(result.question), ...resultBlocks(result), ...remarks(result), paragraph(result.answer)];
}

/**
 * An ablation as a section of a paper or of a page of results.
 *
 * @param command the words after `agentgym` that created it, if known
 * @param others the same ablation at other temperatures
 */
export function ablationSection(
  result: AblationResult,
  command: readonly string[] | undefined,
  others: readonly AblationResult[],
): Block[] {
  const { ablation, answer, question } = result;
  const unknown = command === undefined ? [`The command of ${basename(ablation)} was not recorded.`] : [];
  return [
    paragraph(question),
    ...(command === undefined
      ? []
      : [{ kind: 'code', language: 'console', text: `$ ${shellCommand(['agentgym', ...command])}` } as const]),
    paragraph(answer),
    ...resultBlocks(result),
    ...remarks(result, unknown),
    ...others.flatMap((other) => [heading(`At temperature ${other.temperature}`), ...resultBlocks(other)]),
  ];
}

function resultBlocks(result: AblationResult): Block[] {
  const { measure, split, temperature } = result;
  const results = reportResults(result);
  const costs = results.cells.map(({ label, spent }) => ({ name: label, spent }));
  return [
    ...settingBlocks(results, {
      measure,
      about: `${split} split, temperature ${temperature}. 95 % intervals are for other seeds and other tasks.`,
      isSaturated: saturationOf(results.cells, measure) !== undefined,
    }),
    heading('Costs'),
    ...costBlocks(costs, 'setting', 'Mean per run.'),
  ];
}

/** Notes on cells, and the runs that are not complete. */
function remarks({ cells, transfer }: AblationResult, more: readonly string[] = []): Block[] {
  const own = trainedCells(cells).map(({ id, title, trained = title ?? id, ...cell }) => ({ name: trained, ...cell }));
  const items = [
    ...(transfer?.notes ?? []),
    ...own.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`)),
    ...own.flatMap(({ name, runs }) =>
      runs.flatMap(({ seed, status, cause }) =>
        status === 'completed' ? [] : [`${name}, seed ${seed}: ${status}${cause === undefined ? '' : ` (${cause})`}`],
      ),
    ),
    ...more,
  ];
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}
