import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The file that makes a folder an ablation. */
export function ablationPath(directory: string): string {
  return join(directory, 'ablation.json');
}

export function isAblation(directory: string): boolean {
  return existsSync(ablationPath(directory));
}
