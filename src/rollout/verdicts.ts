import { hash } from 'node:crypto';

import type { JudgedEpisode, JudgedScores } from '../contracts/reward.js';

/** What a judge said of episodes that were judged together, by what was judged. */
export interface KeptVerdict {
  /** SHA-256 of the judge with its options, and of the episodes. */
  readonly key: string;
  /** The term of the reward. */
  readonly judge: string;
  /** Of each episode, in their order. */
  readonly judgements: readonly JudgedScores[];
}

/** The verdicts of a run. They are kept once, and read again for the same episodes. */
export class Verdicts {
  readonly #known = new Map<string, KeptVerdict>();
  #write: ((verdict: KeptVerdict) => Promise<void>) | undefined;

  /** Reads those of earlier sessions. From now on, `write` stores each new one. */
  keepIn(earlier: Iterable<KeptVerdict>, write: (verdict: KeptVerdict) => Promise<void>): void {
    for (const verdict of earlier) this.#known.set(verdict.key, verdict);
    this.#write = write;
  }

  get(key: string): readonly JudgedScores[] | undefined {
    return this.#known.get(key)?.judgements;
  }

  /** Returns when the verdict is stored. */
  async keep(verdict: KeptVerdict): Promise<void> {
    await this.#write?.(verdict);
    this.#known.set(verdict.key, verdict);
  }
}

/**
 * The key of a verdict. It depends on what the judge reads, and not on where or when the episodes were played.
 *
 * @param identity what judges, and with which options
 */
export function verdictKey(identity: string, episodes: readonly JudgedEpisode[]): string {
  return hash('sha256', `${identity}\n${JSON.stringify(episodes)}`);
}
