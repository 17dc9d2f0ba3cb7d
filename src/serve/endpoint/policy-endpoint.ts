import { randomUUID } from 'node:crypto';

import type { FunctionCallSyntax } from '../../contracts/function-calls.js';
import type { ConversationEncoder, SamplingModel, Sampling } from '../../contracts/policy.js';
import type { Random } from '../../contracts/random.js';
import type { History } from '../../rollout/episode-tokens.js';
import { BatchSampler, type SampledText } from './batch-sampler.js';
import { Conversations } from './conversations.js';
import type { EncodedChat, EncodedCompletion } from './encode-request.js';
import { GrowingText } from './growing-text.js';
import type { ChatRequest } from './read-request.js';
import { certainLength, type ReadText, readToolCalls } from './read-tool-calls.js';
import { RequestError } from './request-error.js';
import type { ServedPrompt } from './served-prompt.js';
import { usualSyntax } from './write-tools.js';

export interface EndpointOptions {
  readonly model: SamplingModel;
  /** The name by which clients ask for it. */
  readonly name: string;
  /** Cap on the tokens of an answer if a request sets none. */
  readonly maxActionTokens: number;
  /** Tokens of the longest conversation. */
  readonly maxTokens: number;
  readonly random: Random;
  /** What its conversations begin with. Absent: what clients send. */
  readonly prompt?: ServedPrompt | undefined;
  /** What it reads of a conversation. Absent: everything. */
  readonly history?: History | undefined;
}

/** A part of a text, while it is written. */
export interface Part {
  readonly index: number;
  readonly text: string;
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  /** The calls of functions that end the text. Absent: none. */
  readonly calls?: readonly AnsweredCall[];
}

/** A call of a function, in the words of the protocol. */
export interface AnsweredCall {
  readonly id: string;
  readonly name: string;
  /** A JSON object as text. */
  readonly arguments: string;
}

/** One of the texts that answer a request, whole. */
export interface AnsweredChoice extends Part {
  readonly reason: 'stop' | 'length' | 'tool_calls';
  readonly promptTokens: readonly number[];
}

export interface Answer {
  /** One for each text, in the order of the prompts. */
  readonly choices: readonly AnsweredChoice[];
  /** Of all prompts, each counted once. */
  readonly promptTokens: number;
}

/** Who asks, and how. */
export interface Asking {
  /** Clients share the model. */
  readonly client: unknown;
  readonly signal: AbortSignal;
  /** Receives the answer as it is written. A promise: the reader is slow, and the text rests until it is settled. */
  readonly show?: (part: Part) => void | Promise<void>;
}

/** A text to write. */
interface Asked extends Asking {
  readonly index: number;
  readonly tokens: readonly number[];
  readonly sequence: string;
  readonly limit: number;
  /** Ids that end the text. */
  readonly endIds: readonly number[];
  /** How functions are called. Absent: the text calls none. */
  readonly syntax?: FunctionCallSyntax | undefined;
  readonly draws: () => Random;
}

type Common = Pick<ChatRequest, 'n' | 'seed' | 'stop' | 'temperature' | 'top_k' | 'top_p'>;

/** Writes the texts of requests with a policy model. */
export class PolicyEndpoint {
  readonly name: string;
  readonly model: SamplingModel;
  readonly maxTokens: number;
  /** Characters of the longest token, as it is shown. Infinity if the number of tokens is not known. */
  readonly longestToken: number;
  readonly #options: EndpointOptions;
  readonly #sampler: BatchSampler;
  readonly #conversations: Conversations;
  #requests = 0;

  constructor(options: EndpointOptions) {
    const { maxTokens, model, name } = options;
    this.name = name;
    this.model = model;
    this.maxTokens = maxTokens;
    this.longestToken = longestToken(model);
    this.#options = options;
    this.#sampler = new BatchSampler(model);
    const { history, prompt } = options;
    const reading = { encoder: model.encoder, examples: prompt?.examples, history };
    this.#conversations = new Conversations(reading, (sequences) => model.release(sequences));
  }

  get prompt(): ServedPrompt | undefined {
    return this.#options.prompt;
  }

  get history(): History | undefined {
    return this.#options.history;
  }

  get encoder(): ConversationEncoder {
    return this.model.encoder;
  }

  /** Texts that are being written or wait. */
  get open(): number {
    return this.#sampler.open;
  }

  /** Whether the ids of an answer are remembered, by the key of its conversation. */
  knows(key: string): boolean {
    return this.#conversations.knows(key);
  }

  async chat(chat: EncodedChat, asking: Asking): Promise<Answer> {
    const { calls: offersFunctions, request } = chat;
    const limit = request.max_completion_tokens ?? request.max_tokens ?? this.#options.maxActionTokens;
    const limits = { actionTokens: limit, maxTokens: this.maxTokens };
    const conversation = this.#conversations.open(chat, limits, (tokens, most) =>
      this.#checkLength(tokens, limit, most),
    );
    if (conversation === undefined)
      throw new RequestError(503, 'the conversation was forgotten meanwhile; send it again');
    const { tokens } = conversation;
    const { endIds, functionCalls = usualSyntax } = this.encoder;
    const common = { ...asking, tokens, limit, endIds, syntax: offersFunctions ? functionCalls : undefined };
    const random = this.#randomOf(request);
    const choices = Array.from({ length: request.n }, (_, index) => {
      const sequence = index === 0 ? conversation.sequence : this.#conversations.newSequence();
      const asked = { ...common, index, sequence, draws: () => random.stream(index) };
      return this.#write(request, asked, (sampled, read) => {
        // With all calls that were written: a client that was shown one sends another conversation, which is encoded.
        this.#conversations.remember({ ...conversation, sequence }, read, sampled);
        return { ...read, calls: request.parallel_tool_calls ? read.calls : read.calls.slice(0, 1) };
      });
    });
    return { choices: await Promise.all(choices), promptTokens: tokens.length };
  }

  /** The texts of the first prompt come first. A prompt's texts do not depend on the others. */
  async complete({ prompts, request }: EncodedCompletion, asking: Asking): Promise<Answer> {
    const limit = request.max_tokens ?? this.#options.maxActionTokens;
    for (const tokens of prompts) this.#checkLength(tokens, limit);
    const endIds = [...(request.ignore_eos ? [] : this.encoder.endIds), ...request.stop_token_ids];
    const random = this.#randomOf(request);
    const choices = Array.from({ length: prompts.length * request.n }, (_, index) => {
      const sequence = this.#conversations.newSequence();
      // With a seed, a prompt is answered as if it came alone. Without one, equal prompts get texts of their own.
      const draws = () => random.stream(typeof request.seed === 'number' ? index % request.n : index);
      const tokens = prompts[Math.floor(index / request.n)]!;
      return this.#write(request, { ...asking, index, tokens, sequence, limit, endIds, draws }, (_, read) => {
        this.model.release([sequence]);
        return read;
      });
    });
    return { choices: await Promise.all(choices), promptTokens: prompts.reduce((sum, { length }) => sum + length, 0) };
  }

  async #write(
    request: Common,
    asked: Asked,
    done: (text: SampledText, read: ReadText) => ReadText,
  ): Promise<AnsweredChoice> {
    const { client, draws, endIds, index, limit, sequence, show, signal, syntax, tokens: promptTokens } = asked;
    const sampling: Sampling = {
      temperature: request.temperature,
      topP: request.top_p,
      topK: Math.max(0, request.top_k),
      exact: true,
    };
    const text = new GrowingText(this.encoder, request.stop, syntax && ((written) => certainLength(written, syntax)));
    const take = (ids: readonly number[], logprobs: readonly number[]): boolean | Promise<boolean> => {
      text.add(ids);
      const shown = show?.({ index, text: text.takeNew(false), tokens: ids, logprobs });
      return shown === undefined ? !text.isStopped : shown.then(() => !text.isStopped);
    };
    const sampled = await this.#sampler.write({
      ...{ tokens: promptTokens, sequence, sampling, client, signal, take, endIds, draws },
      maxTokens: limit,
    });
    const whole = { content: text.text, calls: [] };
    const read = done(sampled, syntax === undefined ? whole : readToolCalls(text.text, syntax));
    const calls = read.calls.map(({ json, name }): AnsweredCall => {
      return { id: `call_${randomUUID().replaceAll('-', '')}`, name, arguments: json };
    });
    const called = calls.length > 0 && { calls };
    const left = text.takeNew(true, read.content.length);
    if (left !== '' || called) await show?.({ index, text: left, tokens: [], logprobs: [], ...called });
    const reason = called ? 'tool_calls' : sampled.ended || text.isStopped ? 'stop' : 'length';
    const { logprobs, tokens } = sampled;
    return { index, text: read.content, reason, tokens, logprobs, promptTokens, ...called };
  }

  /** As for episodes: an action and its end token must fit. */
  #checkLength(tokens: readonly number[], limit: number, most = this.maxTokens): void {
    if (tokens.length + limit + 1 <= most) return;
    throw new RequestError(
      400,
      `This model's maximum context length is ${most} tokens. The request has ${tokens.length}, and asks for up to ${limit} more.`,
      { code: 'context_length_exceeded', param: 'messages' },
    );
  }

  /** Without a seed, every request draws others. */
  #randomOf({ seed }: Common): Random {
    const path = typeof seed === 'number' ? ['seed', seed] : ['request', (this.#requests += 1)];
    return this.#options.random.stream(...path);
  }
}

/** Characters of the longest token of an encoder. Adapters mostly have that of their base, and it takes a moment to count. */
const longestTokens = new WeakMap<ConversationEncoder, number>();

function longestToken({ capabilities: { vocabularySize }, encoder }: SamplingModel): number {
  if (vocabularySize === undefined) return Infinity;
  const known = longestTokens.get(encoder);
  if (known !== undefined) return known;
  let longest = 1;
  for (let id = 0; id < vocabularySize; id += 1) longest = Math.max(longest, encoder.piece(id).length);
  longestTokens.set(encoder, longest);
  return longest;
}
