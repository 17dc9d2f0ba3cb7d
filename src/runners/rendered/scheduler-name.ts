import { basename } from 'node:path';

import type { RenderedGrid } from './renderer.js';

/** Characters that leave room for the id, and in Kubernetes for the number of a pod: its name has at most 63. */
const longestName = 36;

/**
 * A name for an ablation that schedulers accept: lower case letters, digits and dashes, as RFC 1123 has them. It has the id
 * of the ablation, because folders in different places may have one name.
 */
export function schedulerName({ id, path }: RenderedGrid): string {
  const name = plain(basename(path)).slice(0, longestName).replace(/-$/, '');
  return `agentgym-${name || 'runs'}-${plain(id).slice(0, 12)}`;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}
