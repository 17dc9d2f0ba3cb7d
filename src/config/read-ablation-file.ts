import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { ablationSchema, type AblationFile } from './ablation-schema.js';
import { checkStructure } from './check-structure.js';
import { Complaints } from './complaints.js';
import { readRecipeFile } from './read-recipe-file.js';
import type { KeyPath } from './recipe-layer.js';

const ablationFormat = { schema: ablationSchema, name: 'the ablation', page: 'docs/reference/ablation.md' };

export interface ReadAblation {
  readonly ablation: AblationFile;
  readonly file: string;
  /** Folder that its paths are relative to. */
  readonly folder: string;
}

/**
 * Reads an ablation file: YAML, JSON or TypeScript.
 *
 * @throws AgentgymError AG_ABLATION_NOT_FOUND, AG_RECIPE_SYNTAX, or all errors of its keys in `findings`
 */
export async function readAblationFile(path: string, cwd: string): Promise<ReadAblation> {
  const file = resolve(cwd, path);
  if (!existsSync(file)) {
    throw new AgentgymError('AG_ABLATION_NOT_FOUND', {
      message: `There is no ablation file ${file}.`,
      hint: 'Check the path; an axis is named without a separator or extension, such as `agentgym ablate sparsity`.',
    });
  }
  const layer = await readRecipeFile(file, 'recipe');
  const complaints = new Complaints(() => layer);
  const ablation = checkStructure(ablationFormat, layer.value, complaints);
  if (ablation !== undefined) checkTogether(ablation, complaints);
  const [first] = complaints.findings;
  if (first !== undefined) throw new AgentgymError(first.code, { ...first, findings: complaints.findings });
  return { ablation: ablation as AblationFile, file, folder: dirname(file) };
}

/** Complains about keys that contradict each other, or have no effect together. */
function checkTogether({ grid, cells, design, sample, compare, transfer }: AblationFile, complaints: Complaints): void {
  const wrong = (path: KeyPath, message: string, hint: string): void =>
    complaints.add('AG_RECIPE_INVALID', path, message, hint);
  if (grid === undefined && cells === undefined) {
    wrong([], '`grid` and `cells` are both missing', 'For example `grid: {algorithm.groupSize: [4, 8, 16]}`.');
  }
  if (design === 'random' && sample === undefined) {
    wrong(['design'], '`design: random` needs `sample`', 'Say how many cells are drawn, such as `sample: 20`.');
  }
  if (sample !== undefined && design !== 'random') {
    const message = `\`sample\` has no effect with \`design: ${design}\``;
    complaints.addIdle(['sample'], message, 'Remove it, or set `design: random`.');
  }
  if (transfer && compare !== undefined) {
    const message = '`compare` has no effect with `transfer: true`, which compares cells on each environment';
    complaints.addIdle(['compare'], message, 'Remove one of the two.');
  }
  if (design === 'paired' && grid !== undefined) {
    const counts = Object.entries(grid).map(([key, values]) => [key, Object.keys(values).length] as const);
    const lengths = counts.map(([key, count]) => `${key} has ${count}`);
    if (new Set(counts.map(([, count]) => count)).size > 1) {
      wrong(['grid'], `\`design: paired\` takes lists of one length: ${lengths.join(', ')}`, 'Make them equally long.');
    }
  }
}
