import { createHash } from 'node:crypto';

import type { SplitName } from '@agentgym/cli';

/** 16 hexadecimal digits that name a content: a cluster of tasks, for example. Source: SHA-256, shortened. */
export function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
}

/** Of five, three are for training. */
const fifths: readonly SplitName[] = ['train', 'train', 'train', 'validation', 'test'];

/** The split of a digest, for ever: it depends on its first eight digits and on nothing else. */
export function splitOfDigest(digest: string): SplitName {
  return fifths[Number.parseInt(digest.slice(0, 8), 16) % fifths.length] ?? 'train';
}
