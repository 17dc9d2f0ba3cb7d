import type { Host, PlayerContext, PlayerTurn, TextPlayer, PlayerAnswer } from '@agentgym/cli';
import type OpenAI from 'openai';

import { readAddress, type Address } from './address.js';
import { readBody, type Options } from './options.js';
import { readChat } from './read-chat.js';
import { Endpoint, withOwnSignal } from './requests.js';
import { isContextFull, readServerError, Unavailable, wantsNewerCap } from './server-errors.js';
import { Spending } from './spending.js';

type Messages = OpenAI.Chat.ChatCompletionMessageParam[];

/** Longest answer besides the tokens of its text, such as a model's thinking, in bytes. */
const MOST_BYTES = 2 ** 22;
const MOST_BYTES_OF_A_TOKEN = 64;

/** A model that is asked for the next message of a conversation. */
class ChatPlayer implements TextPlayer {
  readonly name: string;
  readonly concurrency: number;
  readonly #address: Address;
  readonly #endpoint: Endpoint;
  readonly #options: Options;
  readonly #temperature: number;
  readonly #extra: { readonly [member: string]: unknown };
  readonly #spending: Spending;
  #model: Promise<string> | undefined;
  /** The name of the model that the server listed. */
  #listed: string | undefined;
  #cap: 'max_tokens' | 'max_completion_tokens' = 'max_tokens';

  constructor(options: Options, host: Host, address: Address, temperature: number) {
    const { concurrency, maxTokens, model } = options;
    this.name = `openai:${model ?? address.shown}`;
    this.concurrency = concurrency;
    this.#address = address;
    this.#options = options;
    this.#temperature = temperature;
    this.#extra = readBody(options.extraBody ?? '{}') ?? {};
    this.#spending = new Spending(options);
    const mostBytes = MOST_BYTES + MOST_BYTES_OF_A_TOKEN * maxTokens;
    this.#endpoint = new Endpoint({ ...options, address, mostBytes }, host);
    if (model !== null) this.#model = Promise.resolve(model);
  }

  async act(
    { observations, random, system, texts }: PlayerTurn,
    signal: AbortSignal,
  ): Promise<PlayerAnswer | { readonly full: true }> {
    signal.throwIfAborted();
    const { spent } = this.#spending;
    if (spent !== undefined) throw new Unavailable(spent);
    const messages: Messages = system === '' ? [] : [{ role: 'system', content: system }];
    for (const [index, content] of observations.entries()) {
      messages.push({ role: 'user', content });
      const text = texts[index];
      if (text !== undefined) messages.push({ role: 'assistant', content: text });
    }
    try {
      // A new draw for each attempt at an episode, and the same one if the command is repeated.
      return await withOwnSignal(signal, (own) => this.#write(messages, random.integer(0, 2 ** 31), own));
    } catch (error) {
      if (isContextFull(error)) return { full: true };
      throw readServerError(error, this.#address.shown, this.#options.keyVariable);
    }
  }

  describe() {
    const { maxTokens, model, topP } = this.#options;
    const sampling = { temperature: this.#temperature, topP, maxTokens };
    return { server: this.#address.shown, model: this.#listed ?? model, ...sampling };
  }

  usage() {
    return { ...this.#spending.usage };
  }

  async #write(messages: Messages, seed: number, signal: AbortSignal): Promise<PlayerAnswer> {
    const model = await (this.#model ??= this.#findModel(signal));
    const { maxTokens, seed: sends, topP } = this.#options;
    const cap = this.#cap;
    const sampling = {
      temperature: this.#temperature,
      top_p: topP,
      ...(sends === 'own' && { seed }),
      [cap]: maxTokens,
    };
    const body = { model, messages, ...sampling, ...this.#extra } as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
    try {
      const { usage, ...answer } = await this.#endpoint.ask(
        signal,
        () => this.#endpoint.client.chat.completions.create(body, { signal }),
        (document) => readChat(document, this.#address.shown),
      );
      this.#spending.add(usage);
      return answer;
    } catch (error) {
      if (cap !== 'max_tokens' || !wantsNewerCap(error)) throw error;
      this.#cap = 'max_completion_tokens';
      return this.#write(messages, seed, signal);
    }
  }

  async #findModel(signal: AbortSignal): Promise<string> {
    try {
      const { client } = this.#endpoint;
      const first = await this.#endpoint.ask(
        signal,
        () => client.models.list({ signal }),
        (document) => document.member('data').items()[0]?.member('id').text(),
      );
      if (first === undefined) throw new Unavailable(`${this.#address.shown} lists no model. Set the option model.`);
      this.#listed = first;
      return first;
    } catch (error) {
      this.#model = undefined;
      throw error;
    }
  }
}

export function create(options: Options, host: Host, { address, temperature }: PlayerContext): TextPlayer {
  return new ChatPlayer(options, host, readAddress(address), temperature);
}
