// The documents of the protocol (platform.openai.com/docs/api-reference), with vLLM's token ids.
import { randomUUID } from 'node:crypto';

import type { Answer, AnsweredCall, AnsweredChoice, Part, PolicyEndpoint } from './policy-endpoint.js';
import type { EncodedChat, EncodedCompletion } from './encode-request.js';

type ChatRequest = EncodedChat['request'];
type CompletionRequest = EncodedCompletion['request'];

/** Members that all documents of an answer share. */
export interface AnswerHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export function answerHead(kind: 'chat' | 'completion', model: string): AnswerHead {
  const id = `${kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${randomUUID()}`;
  return { id, created: Math.floor(Date.now() / 1000), model };
}

export function chatAnswer(head: AnswerHead, request: ChatRequest, answer: Answer, endpoint: PolicyEndpoint) {
  return {
    ...head,
    object: 'chat.completion',
    choices: answer.choices.map((choice) => ({
      index: choice.index,
      message: messageOf(choice),
      logprobs: request.logprobs ? chatLogprobs(choice, endpoint) : null,
      finish_reason: choice.reason,
      ...(request.return_token_ids && { token_ids: choice.tokens }),
    })),
    usage: usageOf(answer),
    ...(request.return_token_ids && { prompt_token_ids: answer.choices[0]!.promptTokens }),
  };
}

export function completionAnswer(
  head: AnswerHead,
  { request, warnings }: EncodedCompletion,
  answer: Answer,
  endpoint: PolicyEndpoint,
) {
  return {
    ...head,
    object: 'text_completion',
    choices: answer.choices.map((choice) => ({
      index: choice.index,
      text: choice.text,
      logprobs: typeof request.logprobs === 'number' ? textLogprobs(choice, endpoint) : null,
      finish_reason: choice.reason,
      ...(request.return_token_ids && { token_ids: choice.tokens, prompt_token_ids: choice.promptTokens }),
    })),
    usage: usageOf(answer),
    ...warningsOf(warnings),
  };
}

/** A part of a streamed answer. */
export function chatChunk(head: AnswerHead, request: ChatRequest, part: Part, endpoint: PolicyEndpoint) {
  const logprobs = request.logprobs && part.tokens.length > 0 ? chatLogprobs(part, endpoint) : null;
  const ids = request.return_token_ids && { token_ids: part.tokens };
  return chunk(head, 'chat.completion.chunk', {
    index: part.index,
    delta: { content: part.text },
    logprobs,
    finish_reason: null,
    ...ids,
  });
}

export function textChunk(head: AnswerHead, request: CompletionRequest, part: Part, endpoint: PolicyEndpoint) {
  const logprobs = typeof request.logprobs === 'number' && part.tokens.length > 0 ? textLogprobs(part, endpoint) : null;
  const ids = request.return_token_ids && { token_ids: part.tokens };
  return chunk(head, 'text_completion', { index: part.index, text: part.text, logprobs, finish_reason: null, ...ids });
}

/** The chunks of a call: its name, then its arguments. */
export function callChunks(head: AnswerHead, index: number, calls: readonly AnsweredCall[]) {
  const delta = (call: object) =>
    chunk(head, 'chat.completion.chunk', {
      index,
      delta: { tool_calls: [call] },
      logprobs: null,
      finish_reason: null,
    });
  return calls.flatMap(({ arguments: text, id, name }, place) => [
    delta({ index: place, id, type: 'function', function: { name, arguments: '' } }),
    delta({ index: place, function: { arguments: text } }),
  ]);
}

/** The first chunk of a text in a chat says who speaks. */
export function openingChunk(head: AnswerHead, index: number) {
  return chunk(head, 'chat.completion.chunk', {
    index,
    delta: { role: 'assistant', content: '' },
    logprobs: null,
    finish_reason: null,
  });
}

/** The last chunk of a text says why it ended. */
export function closingChunk(
  head: AnswerHead,
  kind: 'chat' | 'completion',
  { index, reason }: AnsweredChoice,
  warnings: readonly string[] = [],
) {
  const empty = kind === 'chat' ? { delta: {} } : { text: '' };
  const object = kind === 'chat' ? 'chat.completion.chunk' : 'text_completion';
  return {
    ...chunk(head, object, { index, ...empty, logprobs: null, finish_reason: reason }),
    ...warningsOf(warnings),
  };
}

export function usageChunk(head: AnswerHead, kind: 'chat' | 'completion', answer: Answer) {
  const object = kind === 'chat' ? 'chat.completion.chunk' : 'text_completion';
  return { ...head, object, choices: [], usage: usageOf(answer) };
}

export function modelDocument({ maxTokens, name }: PolicyEndpoint, created: number) {
  return { id: name, object: 'model', created, owned_by: 'agentgym', max_model_len: maxTokens };
}

function chunk(head: AnswerHead, object: string, choice: object) {
  return { ...head, object, choices: [choice] };
}

/** A member that the protocol does not have; clients that do not know it skip it. */
function warningsOf(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings };
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

type Sampled = Pick<Part, 'tokens' | 'logprobs'>;

function chatLogprobs({ logprobs, tokens }: Sampled, { encoder }: PolicyEndpoint) {
  const content = tokens.map((id, index) => ({
    token: encoder.piece(id),
    logprob: logprobs[index],
    bytes: null,
    top_logprobs: [],
  }));
  return { content, refusal: null };
}

function textLogprobs({ logprobs, tokens }: Sampled, { encoder }: PolicyEndpoint) {
  return {
    tokens: tokens.map((id) => encoder.piece(id)),
    token_logprobs: logprobs,
    top_logprobs: null,
  };
}
