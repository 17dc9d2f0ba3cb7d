// The documents of the protocol (platform.openai.com/docs/api-reference), with vLLM's token ids.
import { randomUUID } from 'node:crypto';

import type { ConversationEncoder } from '../../contracts/policy.js';
import type { Answer, AnsweredCall, AnsweredChoice, Part, PolicyEndpoint } from './policy-endpoint.js';
import type { EncodedChat, EncodedCompletion } from './encode-request.js';

/** What the two APIs call things. */
const words = {
  chat: { id: 'chatcmpl', whole: 'chat.completion', chunk: 'chat.completion.chunk' },
  completion: { id: 'cmpl', whole: 'text_completion', chunk: 'text_completion' },
} as const;

type Sampled = Pick<Part, 'tokens' | 'logprobs'>;

/** What a chunk may say besides its text. */
interface ChunkDetails {
  readonly logprobs?: object | null;
  readonly reason?: AnsweredChoice['reason'];
  readonly ids?: object;
}

/** The documents that answer one request: one document, or the chunks of a stream. */
export class AnswerDocuments {
  readonly #encoded: EncodedChat | EncodedCompletion;
  readonly #encoder: ConversationEncoder;
  /** Members that all of them share. */
  readonly #head: { readonly id: string; readonly created: number; readonly model: string };
  /** Texts of a chat whose first chunk was made. */
  readonly #opened = new Set<number>();

  constructor(encoded: EncodedChat | EncodedCompletion, { encoder, name }: PolicyEndpoint) {
    this.#encoded = encoded;
    this.#encoder = encoder;
    const id = `${words[encoded.kind].id}-${randomUUID()}`;
    this.#head = { id, created: Math.floor(Date.now() / 1000), model: name };
  }

  whole(answer: Answer) {
    const { kind, request } = this.#encoded;
    const prompt = ({ promptTokens }: AnsweredChoice) =>
      request.return_token_ids ? { prompt_token_ids: promptTokens } : {};
    return {
      ...this.#head,
      object: words[kind].whole,
      choices: answer.choices.map((choice) => ({
        index: choice.index,
        ...(kind === 'chat' ? { message: messageOf(choice) } : { text: choice.text }),
        logprobs: this.#logprobs(choice),
        finish_reason: choice.reason,
        ...this.#ids(choice),
        ...(kind === 'completion' && prompt(choice)),
      })),
      usage: usageOf(answer),
      ...(kind === 'chat' && prompt(answer.choices[0]!)),
      ...this.#warnings(),
    };
  }

  /** The chunks of a part. In a chat, the first one of a text says who speaks, and calls have chunks of their own. */
  ofPart({ calls = [], index, text, ...sampled }: Part): object[] {
    const isEmpty = text === '' && sampled.tokens.length === 0;
    const logprobs = sampled.tokens.length > 0 ? this.#logprobs(sampled) : null;
    const told = { logprobs, ids: this.#ids(sampled) };
    if (this.#encoded.kind === 'completion') return [this.#chunk(index, { text }, told)];
    const opening = this.#opened.has(index) ? [] : [{ role: 'assistant', content: '' }];
    this.#opened.add(index);
    return [
      ...opening.map((delta) => this.#chunk(index, { delta })),
      ...(isEmpty ? [] : [this.#chunk(index, { delta: { content: text } }, told)]),
      ...calls.flatMap(partsOfCall).map((call) => this.#chunk(index, { delta: { tool_calls: [call] } })),
    ];
  }

  /** The last chunks: why each text ended, and the tokens of all if the request asks for them. */
  ofEnd(answer: Answer): object[] {
    const { kind, request } = this.#encoded;
    const empty = kind === 'chat' ? { delta: {} } : { text: '' };
    const closing = answer.choices.map(({ index, reason }) => {
      return { ...this.#chunk(index, empty, { reason }), ...this.#warnings() };
    });
    const usage = { ...this.#head, object: words[kind].chunk, choices: [], usage: usageOf(answer) };
    return request.stream_options?.include_usage ? [...closing, usage] : closing;
  }

  #chunk(index: number, content: object, { logprobs = null, reason, ids = {} }: ChunkDetails = {}) {
    const choice = { index, ...content, logprobs, finish_reason: reason ?? null, ...ids };
    return { ...this.#head, object: words[this.#encoded.kind].chunk, choices: [choice] };
  }

  #ids({ tokens }: Sampled) {
    return this.#encoded.request.return_token_ids ? { token_ids: tokens } : {};
  }

  /** A member that the protocol does not have; clients that do not know it skip it. */
  #warnings() {
    const warnings = this.#encoded.kind === 'chat' ? [] : this.#encoded.warnings;
    return warnings.length === 0 ? {} : { warnings };
  }

  /** Null unless the request asks for them. */
  #logprobs({ logprobs, tokens }: Sampled) {
    const { kind, request } = this.#encoded;
    const isAsked = kind === 'chat' ? request.logprobs : typeof request.logprobs === 'number';
    if (!isAsked) return null;
    const pieces = tokens.map((id) => this.#encoder.piece(id));
    if (kind === 'completion') return { tokens: pieces, token_logprobs: logprobs, top_logprobs: null };
    const content = pieces.map((token, index) => ({ token, logprob: logprobs[index], bytes: null, top_logprobs: [] }));
    return { content, refusal: null };
  }
}

/** The parts of a call in a stream: its name, then its arguments. */
function partsOfCall({ arguments: text, id, name }: AnsweredCall, index: number): object[] {
  return [
    { index, id, type: 'function', function: { name, arguments: '' } },
    { index, function: { arguments: text } },
  ];
}

export function modelDocument({ maxTokens, name }: PolicyEndpoint, created: number) {
  return { id: name, object: 'model', created, owned_by: 'agentgym', max_model_len: maxTokens };
}

function usageOf({ choices, promptTokens }: Answer) {
  const completion = choices.reduce((sum, { tokens }) => sum + tokens.length, 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completion,
    total_tokens: promptTokens + completion,
  };
}

function messageOf({ calls, text }: AnsweredChoice) {
  if (calls === undefined) return { role: 'assistant', content: text, refusal: null };
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    refusal: null,
    tool_calls: calls.map(({ arguments: values, id, name }) => {
      return { id, type: 'function', function: { name, arguments: values } };
    }),
  };
}
