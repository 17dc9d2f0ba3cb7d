import { createHash } from 'node:crypto';

import type { Artifact, RecordedArtifact } from '../contracts/artifact.js';

/** Bytes of the largest artifact, and of all artifacts of an episode. What is larger is listed without its content. */
export const artifactLimits = { each: 2 ** 21, episode: 2 ** 23 } as const;

/** An artifact until its episode is recorded. */
export interface HeldArtifact extends RecordedArtifact {
  /** Absent: it was left out. */
  readonly content?: Uint8Array;
}

/** The artifacts of one attempt at an episode. */
export class EpisodeArtifacts {
  readonly all: HeldArtifact[] = [];
  #bytes = 0;

  /** @param turn place of the turn that brought them; absent: the start did */
  add(artifacts: readonly Artifact[] = [], turn?: number): void {
    for (const { content, ...named } of artifacts) {
      const bytes = Buffer.byteLength(content);
      const listed = { ...(turn !== undefined && { turn }), ...named, bytes };
      if (bytes > artifactLimits.each || this.#bytes + bytes > artifactLimits.episode) {
        this.all.push(listed);
        continue;
      }
      this.#bytes += bytes;
      const held = typeof content === 'string' ? Buffer.from(content) : content;
      this.all.push({ ...listed, sha256: createHash('sha256').update(held).digest('hex'), content: held });
    }
  }
}
