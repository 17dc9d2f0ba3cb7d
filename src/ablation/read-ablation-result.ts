import { existsSync } from 'node:fs';
import { join } from 'node:path';

import * as v from 'valibot';

import { readDocument } from '../runs/read-document.js';
import type { AblationResult } from './ablation-result.js';
import type { Measure } from './read-outcomes.js';

const statistic = v.nullable(v.number());
/** The parts that readers of the file use. */
const resultSchema = v.looseObject({
  formatVersion: v.literal(1),
  answer: v.string(),
  status: v.picklist(['completed', 'incomplete', 'failed']),
  measure: v.picklist(['success', 'return', 'turns'] satisfies Measure[]),
  temperature: v.number(),
  cells: v.array(
    v.looseObject({
      id: v.string(),
      seeds: v.array(v.number()),
      success: v.nullable(v.looseObject({ rate: statistic, low: statistic, high: statistic })),
    }),
  ),
});

/**
 * The last results of an ablation, as stored by `ablate`. Undefined before `ablate` first ends.
 *
 * @throws AG_ABLATION_CHANGED if they cannot be read
 */
export async function readAblationResult(directory: string): Promise<AblationResult | undefined> {
  const file = join(directory, 'result.json');
  if (!existsSync(file)) return undefined;
  const result = await readDocument(file, {
    schema: resultSchema,
    name: 'the result of an ablation',
    code: 'AG_ABLATION_CHANGED',
    hint: 'Restore it, or run `agentgym ablate` again with the same file and `--output`: it computes the result again.',
  });
  return result as unknown as AblationResult;
}
