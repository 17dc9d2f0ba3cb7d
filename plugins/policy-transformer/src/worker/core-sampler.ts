import type { Sampling } from '@agentgym/cli';

import type { ModelWeights, TokenGenerator } from '../generation/token-generator.js';
import type { Adapter } from '../model/parameters.js';
import type { Generators, SamplingWeights } from './create-generator.js';
import { withCure } from './out-of-memory.js';
import { packAnswers, unpackRequests, type PackedAnswers, type PackedRequests } from './packed-requests.js';
import { TokenHistories } from './token-histories.js';

/** Samples from some weights of a core: the model's own, or an adapter over them. */
export class CoreSampler {
  readonly #weights: () => ModelWeights;
  readonly #generator: TokenGenerator;
  /** Samples from the weights themselves, not from a copy; often the same generator. */
  readonly #exactGenerator: TokenGenerator;
  readonly #histories = new TokenHistories();
  /** The generators that have the present weights. */
  readonly #current = new Set<TokenGenerator>();

  constructor(
    weights: () => ModelWeights,
    generators: Generators,
    adapter: Adapter | undefined,
    samplingWeights: SamplingWeights,
  ) {
    this.#weights = weights;
    this.#generator = generators.create(adapter, samplingWeights);
    this.#exactGenerator = samplingWeights === 'float32' ? this.#generator : generators.create(adapter, 'float32');
  }

  /** Must be called after the weights have changed. */
  renew(): void {
    this.#current.clear();
  }

  async generate(requests: PackedRequests, sampling: Sampling, signal?: AbortSignal): Promise<PackedAnswers> {
    // Comes before anything that may fail, because the other side assumes that every request was read.
    const asked = unpackRequests(requests, this.#histories);
    const histories = requests.sequences.map((name) => this.#histories.current(name));
    const generator = sampling.exact ? this.#exactGenerator : this.#generator;
    const other = sampling.exact ? this.#generator : this.#exactGenerator;
    if (!this.#current.has(generator)) {
      await generator.useWeights(this.#weights());
      this.#current.add(generator);
    }
    generator.release(requests.released);
    // What is unchanged since the last answer is known of one generator at a time.
    if (other !== generator) other.release([...requests.released, ...requests.sequences]);
    const answers = await withCure('Lower policy.options.cacheMegabytes.', () =>
      generator.generate(asked, sampling, signal),
    );
    for (const [index, { sequence }] of asked.entries()) {
      this.#histories.settle(sequence, histories[index], answers[index]!.tokens);
    }
    return packAnswers(answers);
  }

  async dispose(): Promise<void> {
    await this.#generator.dispose();
    if (this.#exactGenerator !== this.#generator) await this.#exactGenerator.dispose();
  }
}
