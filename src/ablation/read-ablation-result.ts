import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { AblationResult } from './ablation-result.js';

/** The last results of an ablation, as stored by `ablate`. Undefined before `ablate` first ends. */
export async function readAblationResult(directory: string): Promise<AblationResult | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, 'result.json'), 'utf8')) as AblationResult;
  } catch {
    return undefined;
  }
}
