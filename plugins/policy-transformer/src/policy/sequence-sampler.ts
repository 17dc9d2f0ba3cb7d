import type { GeneratedTokens, GenerateRequest, Sampling } from '@agentgym/cli';

import type { Engine } from '../worker/engine.js';
import { packRequests, unpackAnswers } from '../worker/packed-requests.js';
import { TokenHistories } from '../worker/token-histories.js';
import { splitRequests } from './split-requests.js';

/** Distributes sequences to the cores of an engine, which sample from the model or from one of its adapters. */
export class SequenceSampler {
  readonly #engine: Engine;
  readonly #adapter: number | undefined;
  /** The core that remembers a sequence. */
  readonly #homes = new Map<string, number>();
  /** The tokens of sequences that the cores know. */
  readonly #histories = new TokenHistories();
  /** For each core, the sequences that it may forget. */
  readonly #released: readonly string[][];

  /** @param adapter its number. Absent: the model itself. */
  constructor(engine: Engine, adapter?: number) {
    this.#engine = engine;
    this.#adapter = adapter;
    this.#released = Array.from({ length: engine.cores }, () => []);
  }

  /** The sequences that the cores know. */
  get sequences(): readonly string[] {
    return [...this.#homes.keys()];
  }

  async generate(
    requests: readonly GenerateRequest[],
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<GeneratedTokens[]> {
    signal?.throwIfAborted();
    const shares = splitRequests(requests, this.#engine.cores, this.#homes);
    const answers = Array<GeneratedTokens>(requests.length);
    await onCores(shares, async (share, core) => {
      const released = this.#released[core]!.splice(0);
      const packed = packRequests(
        share.map((index) => requests[index]!),
        this.#histories,
        released,
      );
      const asked = this.#adapter === undefined ? packed : { ...packed, adapter: this.#adapter };
      const histories = asked.sequences.map((name) => this.#histories.current(name));
      try {
        const given = await this.#engine.call(core, 'generate', [asked, sampling], signal);
        for (const [place, answer] of unpackAnswers(given).entries()) {
          answers[share[place]!] = answer;
          this.#histories.settle(asked.sequences[place]!, histories[place], answer.tokens);
        }
      } catch (error) {
        asked.sequences.forEach((name, place) => this.#histories.abandon(name, histories[place]));
        throw error;
      }
    });
    return answers;
  }

  /** Sent to the cores with their next requests, because a separate message would wake them for little. */
  release(sequences: readonly string[]): void {
    for (const sequence of sequences) {
      const home = this.#homes.get(sequence);
      if (home !== undefined) this.#released[home]!.push(sequence);
      this.#homes.delete(sequence);
    }
    this.#histories.forget(sequences);
  }
}

/** Gives each core its share. Waits for all even if one fails, so that no call runs longer than its caller. */
export async function onCores<Share extends readonly unknown[], Result>(
  shares: readonly Share[],
  run: (share: Share, core: number) => Promise<Result>,
): Promise<Result[]> {
  const used = shares.map((share, core) => ({ share, core })).filter(({ share }) => share.length > 0);
  const settled = await Promise.allSettled(used.map(({ share, core }) => run(share, core)));
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
