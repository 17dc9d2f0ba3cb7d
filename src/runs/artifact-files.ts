// Artifacts of recorded episodes: `artifacts/SHA256` in the run's folder, each content once.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Episode } from '../contracts/trajectory.js';
import { attemptWrite } from '../files/attempt-write.js';
import type { HeldArtifact } from '../rollout/episode-artifacts.js';

/** The file with the content of an artifact. */
export function artifactFile(run: string, sha256: string): string {
  return join(run, 'artifacts', sha256);
}

/**
 * Writes the artifacts of an episode, each whole or not at all.
 *
 * @returns the episode as its line in the log
 * @throws AG_RUN_WRITE_FAILED
 */
export function keepArtifacts(run: string, episode: Episode): Episode {
  if (episode.artifacts === undefined) return episode;
  const artifacts = episode.artifacts.map(({ content, ...listed }: HeldArtifact) => {
    if (content !== undefined && listed.sha256 !== undefined) writeOnce(artifactFile(run, listed.sha256), content);
    return listed;
  });
  return { ...episode, artifacts };
}

function writeOnce(path: string, content: Uint8Array): void {
  const folder = dirname(path);
  attemptWrite(path, () => {
    mkdirSync(folder, { recursive: true });
    if (statSync(path, { throwIfNoEntry: false })?.size === content.length) return;
    writeAtomically(path, content, join(folder, `.writing-${randomBytes(4).toString('hex')}`));
  });
}

function writeAtomically(path: string, content: Uint8Array, temporary: string): void {
  const file = openSync(temporary, 'wx');
  try {
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
