import type { Host, PlayerContext, PlayerTurn, TextPlayer, PlayerAnswer } from '@agentgym/cli';

import { readAddress, type Address } from './address.js';
import { ChatModel, type Messages } from './chat-model.js';
import type { Options } from './options.js';
import { withOwnSignal } from './requests.js';
import { isContextFull, readServerError, Unavailable } from './server-errors.js';
import { Spending } from './spending.js';

/** A model that is asked for the next message of a conversation. */
class ChatPlayer implements TextPlayer {
  readonly name: string;
  readonly concurrency: number;
  readonly #address: Address;
  readonly #chat: ChatModel;
  readonly #options: Options;
  readonly #temperature: number;
  readonly #spending: Spending;
  #model: Promise<string> | undefined;
  /** The name of the model that the server listed. */
  #listed: string | undefined;

  constructor(options: Options, host: Host, address: Address, temperature: number) {
    const { concurrency, model } = options;
    this.name = `openai:${model ?? address.shown}`;
    this.concurrency = concurrency;
    this.#address = address;
    this.#options = options;
    this.#temperature = temperature;
    this.#spending = new Spending(options);
    this.#chat = new ChatModel({ ...options, address, temperature }, host);
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
    const { usage, ...answer } = await this.#chat.ask(model, messages, seed, signal);
    this.#spending.add(usage);
    return answer;
  }

  async #findModel(signal: AbortSignal): Promise<string> {
    try {
      const { client } = this.#chat.endpoint;
      const first = await this.#chat.endpoint.ask(
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
