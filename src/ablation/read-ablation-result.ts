import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { AblationResult } from './ablation-result.js';

/** What an ablation last came to, as `ablate` kept it; undefined before its first end. */
export async function readAblationResult(directory: string): Promise<AblationResult | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, 'result.json'), 'utf8')) as AblationResult;
  } catch {
    return undefined;
  }
}
