import { join } from 'node:path';

import { readTextFile } from '../files/read-whole-file.js';
import type { AblationResult } from './ablation-result.js';

/** The last results of an ablation, as stored by `ablate`. Undefined before `ablate` first ends. */
export async function readAblationResult(directory: string): Promise<AblationResult | undefined> {
  try {
    return JSON.parse(await readTextFile(join(directory, 'result.json'))) as AblationResult;
  } catch {
    return undefined;
  }
}
