import type { Host, PlayerContext, PlayerTurn, TextPlayer, PlayerAnswer } from '@agentgym/cli';
import type OpenAI from 'openai';

import { readAddress, type Address } from './address.js';
import { readBody, type Options } from './options.js';
import { asObject, openClient, repeatCutAnswers, withOwnSignal } from './requests.js';
import { isContextFull, readServerError, Unavailable, wantsNewerCap } from './server-errors.js';
import { Spending } from './spending.js';

type Messages = OpenAI.Chat.ChatCompletionMessageParam[];

/** A model that is asked for the next message of a conversation. The library makes the retries. */
class ChatPlayer implements TextPlayer {
  readonly name: string;
  readonly concurrency: number;
  readonly #address: Address;
  readonly #client: OpenAI;
  readonly #options: Options;
  readonly #temperature: number;
  readonly #extra: { readonly [member: string]: unknown };
  readonly #spending: Spending;
  #model: Promise<string> | undefined;
  /** The name of the model that the server listed. */
  #listed: string | undefined;
  #cap: 'max_tokens' | 'max_completion_tokens' = 'max_tokens';

  constructor(options: Options, address: Address, temperature: number) {
    const { concurrency, keyVariable, model, retries, timeoutSeconds } = options;
    this.name = `openai:${model ?? address.shown}`;
    this.concurrency = concurrency;
    this.#address = address;
    this.#options = options;
    this.#temperature = temperature;
    this.#extra = readBody(options.extraBody ?? '{}') ?? {};
    this.#spending = new Spending(options);
    this.#client = openClient({ address, keyVariable, retries, timeoutSeconds });
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
    const { maxTokens, topP } = this.#options;
    const cap = this.#cap;
    const sampling = { temperature: this.#temperature, top_p: topP, seed, [cap]: maxTokens };
    const body = { model, messages, ...sampling, ...this.#extra } as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
    let answer: OpenAI.Chat.ChatCompletion;
    try {
      answer = await repeatCutAnswers(this.#options.retries, () =>
        this.#client.chat.completions.create(body, { signal }),
      );
    } catch (error) {
      if (cap !== 'max_tokens' || !wantsNewerCap(error)) throw error;
      this.#cap = 'max_completion_tokens';
      return this.#write(messages, seed, signal);
    }
    const [choice] = asObject(answer, this.#address.shown).choices ?? [];
    this.#spending.add(answer.usage);
    if (choice === undefined) throw new Error(`${this.#address.shown} answered without a choice`);
    // A model that only thought, or refused, has no content.
    return { text: choice.message.content ?? '', cut: choice.finish_reason === 'length' };
  }

  async #findModel(signal: AbortSignal): Promise<string> {
    try {
      const { data } = asObject(await this.#client.models.list({ signal }), this.#address.shown);
      const [first] = data ?? [];
      if (first === undefined) throw new Unavailable(`${this.#address.shown} lists no model. Set the option model.`);
      this.#listed = first.id;
      return first.id;
    } catch (error) {
      this.#model = undefined;
      throw error;
    }
  }
}

export function create(options: Options, _host: Host, { address, temperature }: PlayerContext): TextPlayer {
  return new ChatPlayer(options, readAddress(address), temperature);
}
