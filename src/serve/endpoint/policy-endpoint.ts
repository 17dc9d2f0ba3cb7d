import { randomUUID } from 'node:crypto';

import type { FunctionCallSyntax } from '../../contracts/function-calls.js';
import type { ConversationEncoder, PolicyModel, Sampling } from '../../contracts/policy.js';
import type { Random } from '../../contracts/random.js';
import { uniformDraws } from '../../rollout/uniform-draws.js';
import { BatchSampler, type SampledText } from './batch-sampler.js';
import { Conversations } from './conversations.js';
import { GrowingText } from './growing-text.js';
import type { ChatRequest, CompletionRequest, Message } from './read-request.js';
import { certainLength, type ReadText, readToolCalls } from './read-tool-calls.js';
import { RequestError } from './request-error.js';
import { addTools, usualSyntax } from './write-tools.js';

export interface EndpointOptions {
  readonly model: PolicyModel;
  /** The name by which clients ask for it. */
  readonly name: string;
  /** Cap on the tokens of an answer if a request sets none. */
  readonly maxActionTokens: number;
  /** Tokens of the longest conversation. */
  readonly maxTokens: number;
  readonly random: Random;
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
}

export interface Answer {
  readonly promptTokens: readonly number[];
  readonly choices: readonly AnsweredChoice[];
}

type Common = Pick<ChatRequest, 'n' | 'seed' | 'stop' | 'temperature' | 'top_k' | 'top_p'>;

/** Writes the texts of requests with a policy model. */
export class PolicyEndpoint {
  readonly name: string;
  readonly encoder: ConversationEncoder;
  readonly maxTokens: number;
  readonly #options: EndpointOptions;
  readonly #sampler: BatchSampler;
  readonly #conversations: Conversations;
  #requests = 0;

  constructor(options: EndpointOptions) {
    const { maxTokens, model, name } = options;
    this.name = name;
    this.encoder = model.encoder;
    this.maxTokens = maxTokens;
    this.#options = options;
    this.#sampler = new BatchSampler(model);
    this.#conversations = new Conversations(model.encoder, maxTokens, (sequences) => model.release(sequences));
  }

  /** Texts that are being written or wait. */
  get open(): number {
    return this.#sampler.open;
  }

  async chat(request: ChatRequest, signal: AbortSignal, show?: (part: Part) => void): Promise<Answer> {
    this.#checkModel(request.model);
    const functions = request.tool_choice === 'none' ? [] : request.tools.map((tool) => tool.function);
    const syntax = functions.length === 0 ? undefined : (this.encoder.functionCalls ?? usualSyntax);
    const messages =
      syntax === undefined
        ? request.messages
        : withSystem(request.messages, (system) => addTools(system, functions, syntax));
    const conversation = this.#conversations.open(messages);
    const limit = request.max_completion_tokens ?? request.max_tokens ?? this.#options.maxActionTokens;
    const { tokens } = conversation.tokens;
    return this.#write(
      request,
      { tokens, limit, signal, ...(show && { show }), ...(syntax && { syntax }) },
      (index) => {
        const sequence = index === 0 ? conversation.sequence : this.#conversations.newSequence();
        const done = (sampled: SampledText, read: ReadText): ReadText => {
          const calls = request.parallel_tool_calls ? read.calls : read.calls.slice(0, 1);
          // With all calls that were written: a client that was shown one sends another conversation, which is encoded.
          this.#conversations.remember({ ...conversation, sequence }, read, sampled);
          return { ...read, calls };
        };
        return { sequence, done };
      },
    );
  }

  async complete(request: CompletionRequest, signal: AbortSignal, show?: (part: Part) => void): Promise<Answer> {
    this.#checkModel(request.model);
    const tokens = typeof request.prompt === 'string' ? this.encoder.encodeAction(request.prompt) : request.prompt;
    if (tokens.length === 0) throw new RequestError(400, 'the prompt is empty', { param: 'prompt' });
    const limit = request.max_tokens ?? this.#options.maxActionTokens;
    const endIds = [...(request.ignore_eos ? [] : this.encoder.endIds), ...request.stop_token_ids];
    return this.#write(request, { tokens, limit, signal, endIds, ...(show && { show }) }, () => {
      const sequence = this.#conversations.newSequence();
      const done = (_: SampledText, read: ReadText): ReadText => {
        this.#options.model.release([sequence]);
        return read;
      };
      return { sequence, done };
    });
  }

  async #write(
    request: Common,
    asked: {
      readonly tokens: readonly number[];
      readonly limit: number;
      readonly signal: AbortSignal;
      readonly show?: (part: Part) => void;
      /** Ids that end the text. Absent: those of the model. */
      readonly endIds?: readonly number[];
      /** How functions are called. Absent: the text calls none. */
      readonly syntax?: FunctionCallSyntax;
    },
    begin: (index: number) => {
      readonly sequence: string;
      readonly done: (text: SampledText, read: ReadText) => ReadText;
    },
  ): Promise<Answer> {
    const { endIds = this.encoder.endIds, limit, show, signal, syntax, tokens } = asked;
    // As for episodes: an action and its end token must fit.
    if (tokens.length + limit + 1 > this.maxTokens) {
      throw new RequestError(
        400,
        `This model's maximum context length is ${this.maxTokens} tokens. The request has ${tokens.length}, and asks for up to ${limit} more.`,
        { code: 'context_length_exceeded', param: 'messages' },
      );
    }
    const sampling: Sampling = {
      temperature: request.temperature,
      topP: request.top_p,
      topK: Math.max(0, request.top_k),
      exact: true,
    };
    // Without a seed, every request draws others.
    const { seed } = request;
    const path = typeof seed === 'number' ? ['seed', seed] : ['request', (this.#requests += 1)];
    const random = this.#options.random.stream(...path);
    const write = async (index: number): Promise<AnsweredChoice> => {
      const { done, sequence } = begin(index);
      const text = new GrowingText(this.encoder, request.stop, syntax && ((written) => certainLength(written, syntax)));
      const take = (ids: readonly number[], logprobs: readonly number[]): boolean => {
        text.add(ids);
        show?.({ index, text: text.takeNew(false), tokens: ids, logprobs });
        return !text.isStopped;
      };
      try {
        const sampled = await this.#sampler.write({
          ...{ tokens, sequence, sampling, signal, take },
          endIds,
          maxTokens: limit,
          draws: uniformDraws(random.stream(index), limit),
        });
        const whole = { content: text.text, calls: [] };
        const read = done(sampled, syntax === undefined ? whole : readToolCalls(text.text, syntax));
        const calls = read.calls.map(({ arguments: values, name }): AnsweredCall => {
          return { id: `call_${randomUUID().replaceAll('-', '')}`, name, arguments: JSON.stringify(values) };
        });
        const called = calls.length > 0 && { calls };
        const left = text.takeNew(true, read.content.length);
        if (left !== '' || called) show?.({ index, text: left, tokens: [], logprobs: [], ...called });
        const reason = called ? 'tool_calls' : sampled.ended || text.isStopped ? 'stop' : 'length';
        return { index, text: read.content, reason, tokens: sampled.tokens, logprobs: sampled.logprobs, ...called };
      } catch (error) {
        this.#options.model.release([sequence]);
        throw error;
      }
    };
    const choices = await Promise.all(Array.from({ length: request.n }, (_, index) => write(index)));
    return { promptTokens: tokens, choices };
  }

  #checkModel(asked: string | null | undefined): void {
    if (asked === undefined || asked === null || asked === this.name) return;
    const message = `The model \`${asked}\` does not exist. This server has \`${this.name}\`.`;
    throw new RequestError(404, message, { code: 'model_not_found', param: 'model' });
  }
}

/** Messages with another system text, which is the first one. */
function withSystem(messages: readonly Message[], change: (system: string) => string): readonly Message[] {
  const [first, ...rest] = messages;
  if (first?.role === 'system' || first?.role === 'developer') {
    return [{ role: 'system', content: change(first.content) }, ...rest];
  }
  return [{ role: 'system', content: change('') }, ...messages];
}
