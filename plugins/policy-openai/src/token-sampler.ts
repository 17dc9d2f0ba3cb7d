import { setMaxListeners } from 'node:events';

import type {
  GeneratedTokens,
  GenerateRequest,
  Host,
  JsonObject,
  PublishedWeights,
  Sampling,
  SamplerContext,
  TokenSampler,
} from '@agentgym/cli';
import OpenAI from 'openai';

import { type Address, readAddress } from './address.js';
import { readCompletion } from './read-completion.js';
import { Endpoint, withOwnSignal } from './requests.js';
import type { SamplerOptions } from './sampler-options.js';
import {
  loadAdapter,
  nameAdapter,
  refuseWithoutAdapters,
  type ServedAdapter,
  unloadAdapter,
} from './served-adapter.js';
import { isContextFull, readServerError, ServerFault, Unavailable } from './server-errors.js';

/** Longest answer in bytes: ids and log probabilities of the longest sequences. */
const MOST_BYTES = 2 ** 26;
/** Milliseconds in which a server must take an adapter back at the end. */
const FAREWELL = 5_000;

/** Samples with vLLM: token ids go to `/completions`, and new weights go to it as adapters. */
class CompletionSampler implements TokenSampler {
  /** The server batches requests as they come, and draws by itself. */
  readonly promises = { independent: false, draws: false, exact: false, concurrent: true, continuous: true } as const;
  readonly #options: SamplerOptions;
  readonly #files: Host['files'];
  readonly #address: Address;
  readonly #endpoint: Endpoint;
  #adapter: ServedAdapter | undefined;
  /** Loads the adapter again, after the server has lost it. */
  #reloading: Promise<void> | undefined;
  #open = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: SamplerOptions, host: Host, address: Address) {
    this.#options = options;
    this.#files = host.files;
    this.#address = address;
    this.#endpoint = new Endpoint({ ...options, address, mostBytes: MOST_BYTES }, host);
  }

  async connect(signal: AbortSignal): Promise<void> {
    await this.#ask(signal, async (own) => {
      const { client } = this.#endpoint;
      await this.#endpoint.ask(
        own,
        () => client.get('/models', { signal: own }),
        (document) => document.member('data'),
      );
      await refuseWithoutAdapters(this.#endpoint, own);
    });
  }

  async publish({ base, folder }: PublishedWeights, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (base === undefined) {
      throw new Unavailable(
        'it takes new weights as adapters only, because vLLM reads whole models again only through routes for its development. Set `policy.from`, and `policy.options.loraRank`.',
      );
    }
    const before = this.#adapter;
    await this.#ask(signal, async (own) => {
      const adapter = await nameAdapter(this.#files, folder, this.#options.serverFolder);
      await loadAdapter(this.#endpoint, adapter, own);
      this.#adapter = adapter;
      if (before !== undefined && before.name !== adapter.name) await unloadAdapter(this.#endpoint, before.name, own);
    });
  }

  async generate(
    requests: readonly GenerateRequest[],
    sampling: Sampling,
    signal: AbortSignal,
  ): Promise<readonly GeneratedTokens[]> {
    signal.throwIfAborted();
    // The first error ends all others, which would only wait.
    return this.#ask(signal, async (own) => {
      const failed = new AbortController();
      const both = AbortSignal.any([own, failed.signal]);
      // Every open request listens to it.
      setMaxListeners(0, both);
      try {
        return await Promise.all(
          requests.map((request) => this.#inTurn(() => this.#continue(request, sampling, both))),
        );
      } catch (error) {
        failed.abort();
        throw error;
      }
    });
  }

  describe(): JsonObject {
    return { server: this.#address.shown, weights: 'adapters', logprobsMode: this.#options.logprobsMode };
  }

  async dispose(): Promise<void> {
    const adapter = this.#adapter;
    this.#adapter = undefined;
    if (adapter === undefined) return;
    // The run is over, so nothing depends on it.
    await unloadAdapter(this.#endpoint, adapter.name, AbortSignal.timeout(FAREWELL), 0).catch(() => undefined);
  }

  async #continue(request: GenerateRequest, sampling: Sampling, signal: AbortSignal): Promise<GeneratedTokens> {
    const adapter = this.#adapter;
    if (adapter === undefined) throw new Error('no weights were published');
    const seed = this.#options.seeds ? { seed: seedOf(request) } : {};
    const body = { ...completionBody(adapter.name, request, sampling), ...seed };
    const { client } = this.#endpoint;
    const ask = () =>
      this.#endpoint.ask(
        signal,
        () => client.post('/completions', { body, signal }),
        (document) => readCompletion(document, adapter.name, request),
      );
    try {
      return await ask();
    } catch (error) {
      // A server that was started again has lost the adapter.
      if (!(error instanceof OpenAI.NotFoundError) || !error.message.includes(adapter.name)) throw error;
      this.#reloading ??= loadAdapter(this.#endpoint, adapter, signal).finally(() => (this.#reloading = undefined));
      await this.#reloading;
      return await ask();
    }
  }

  /** Every error that is no interruption ends the run: another request would not fare better. */
  async #ask<Answer>(signal: AbortSignal, work: (own: AbortSignal) => Promise<Answer>): Promise<Answer> {
    signal.throwIfAborted();
    const { keyVariable } = this.#options;
    const place = this.#address.shown;
    try {
      return await withOwnSignal(signal, work);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Unavailable && !error.message.startsWith(place)) {
        throw new Unavailable(`${place} cannot sample: ${error.message}`, { cause: error });
      }
      if (isContextFull(error)) {
        const cure = 'Start it with a larger `--max-model-len`, or lower `rollout.maxEpisodeTokens`.';
        throw new Unavailable(`${place} answered that an episode is too long for it. ${cure}`, { cause: error });
      }
      const read = readServerError(error, place, keyVariable);
      if (read instanceof Unavailable) throw read;
      if (error instanceof ServerFault)
        throw new Unavailable(`${place} cannot sample: ${error.message}`, { cause: error });
      if (!(error instanceof OpenAI.APIError)) throw read;
      throw new Unavailable((read as Error).message, { cause: error });
    }
  }

  /** Runs a request when fewer than `concurrency` others run. */
  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.#open >= this.#options.concurrency) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#open += 1;
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#open -= 1;
      else next();
    }
  }
}

/** The server draws by itself. A seed out of our own numbers makes its draws depend on the seed of the run. */
function seedOf({ draws }: GenerateRequest): number {
  return Math.min(2 ** 31 - 1, Math.floor((draws[0] ?? 0) * 2 ** 31));
}

/**
 * A request for tokens. What is left out would come from the generation_config.json of the model on the server, and
 * penalties show in no log probability: so every setting is sent.
 */
function completionBody(
  model: string,
  { endIds, maxTokens, tokens }: GenerateRequest,
  { temperature, topK, topP }: Sampling,
): object {
  return {
    model,
    prompt: tokens,
    max_tokens: maxTokens,
    temperature,
    top_p: topP,
    top_k: topK === 0 ? -1 : topK,
    min_p: 0,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    // Only the policy's own end tokens end an action.
    stop_token_ids: endIds,
    ignore_eos: true,
    // No other token than the sampled one.
    logprobs: 0,
    return_token_ids: true,
  };
}

/**
 * @throws Error if there is no address, or if the server's log probabilities would not be those of the temperature at which
 * it samples
 */
export function create(options: SamplerOptions, host: Host, { address = '', sampling }: SamplerContext): TokenSampler {
  const read = readAddress(address);
  if (read.url === undefined) {
    throw new Unavailable('it has no server: set `policy.sampler.address`, or OPENAI_BASE_URL in the environment');
  }
  const { temperature } = sampling;
  if (options.logprobsMode === 'raw' && temperature !== 1) {
    throw new Error(
      `the server’s raw log probabilities are those of temperature 1, not ${temperature}. Set \`policy.sampling.temperature: 1\`, or start vLLM with \`--logprobs-mode processed_logprobs\` and set \`logprobsMode: processed\``,
    );
  }
  return new CompletionSampler(options, host, read);
}
