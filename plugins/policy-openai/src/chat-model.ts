import type { Host } from '@agentgym/cli';
import type OpenAI from 'openai';

import type { Address } from './address.js';
import { readBody, type Options } from './options.js';
import { type ChatAnswer, readChat } from './read-chat.js';
import { Endpoint } from './requests.js';
import { wantsNewerCap } from './server-errors.js';

export type Messages = OpenAI.Chat.ChatCompletionMessageParam[];

/** How answers are sampled, and how the server is asked. */
interface ChatSettings extends Pick<
  Options,
  'extraBody' | 'keyVariable' | 'maxTokens' | 'retries' | 'seed' | 'timeoutSeconds'
> {
  readonly address: Address;
  readonly temperature: number;
  /** Share of the probability that sampling keeps. Absent: as the server does. */
  readonly topP?: number;
}

/** Longest answer besides the tokens of its text, such as a model's thinking, in bytes. */
const MOST_BYTES = 2 ** 22;
const MOST_BYTES_OF_A_TOKEN = 64;

/** A model behind `/chat/completions`. */
export class ChatModel {
  readonly endpoint: Endpoint;
  readonly #settings: ChatSettings;
  readonly #extra: { readonly [member: string]: unknown };
  #cap: 'max_tokens' | 'max_completion_tokens' = 'max_tokens';

  constructor(settings: ChatSettings, host: Host) {
    this.#settings = settings;
    this.#extra = readBody(settings.extraBody ?? '{}') ?? {};
    const mostBytes = MOST_BYTES + MOST_BYTES_OF_A_TOKEN * settings.maxTokens;
    this.endpoint = new Endpoint({ ...settings, mostBytes }, host);
  }

  /** The next message of a conversation. Throws the errors of `Endpoint.ask`. */
  async ask(model: string, messages: Messages, seed: number, signal: AbortSignal): Promise<ChatAnswer> {
    const { address, maxTokens, seed: sends, temperature, topP } = this.#settings;
    const cap = this.#cap;
    const sampling = {
      temperature,
      ...(topP !== undefined && { top_p: topP }),
      ...(sends === 'own' && { seed }),
      [cap]: maxTokens,
    };
    const body = { model, messages, ...sampling, ...this.#extra } as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
    try {
      return await this.endpoint.ask(
        signal,
        () => this.endpoint.client.chat.completions.create(body, { signal }),
        (document) => readChat(document, address.shown),
      );
    } catch (error) {
      if (cap !== 'max_tokens' || !wantsNewerCap(error)) throw error;
      this.#cap = 'max_completion_tokens';
      return this.ask(model, messages, seed, signal);
    }
  }
}
