// Reads the bodies of requests. What is not read here is refused unless it changes no answer (`request-members.ts`).
import * as v from 'valibot';

import type { FunctionDefinition } from '../../contracts/function-calls.js';
import { issueText } from './issue-text.js';
import { readObject } from './read-tool-calls.js';
import { RequestError, shortened } from './request-error.js';
import { checkInside, checkMembers } from './request-members.js';
import { compactJson } from './written-json.js';

/** Texts that end an answer. Each is searched for after every few tokens. */
const MOST_STOPS = 64;
const LONGEST_STOP = 1024;
const MOST_STOP_IDS = 256;
const MOST_TOOLS = 512;
/** Texts that answer one request. */
const MOST_TEXTS = 128;
/** Logits are divided by it in float32. With less, a quotient may be no number. */
const LEAST_TEMPERATURE = 1e-6;

const whole = (low: number, high: number) => v.pipe(v.number(), v.integer(), v.minValue(low), v.maxValue(high));
const between = (low: number, high: number) => v.pipe(v.number(), v.minValue(low), v.maxValue(high));

const textPart = v.object({ type: v.literal('text'), text: v.string() });
const content = v.union([
  v.string(),
  v.pipe(
    v.array(textPart),
    v.transform((parts) => parts.map(({ text }) => text).join('')),
  ),
]);

/** A JSON object as a text: its values, and the text with the numbers as they were written. An empty text has no members. */
const argumentsText = v.pipe(
  v.string(),
  v.rawTransform(({ addIssue, dataset, NEVER }) => {
    const json = dataset.value.trim() === '' ? '{}' : dataset.value;
    const values = readObject(json);
    if (values !== undefined) return { values, json: compactJson(json) };
    addIssue({ message: 'the text is not a JSON object' });
    return NEVER;
  }),
);
const call = v.object({
  id: v.string(),
  type: v.nullish(v.literal('function'), 'function'),
  function: v.object({ name: v.string(), arguments: argumentsText }),
});

const message = v.variant('role', [
  v.object({ role: v.picklist(['system', 'developer', 'user']), content }),
  v.object({ role: v.literal('tool'), content, tool_call_id: v.nullish(v.string()) }),
  v.object({
    role: v.literal('assistant'),
    content: v.nullish(content, ''),
    tool_calls: v.nullish(v.array(call), []),
  }),
]);

const tool = v.object({
  type: v.literal('function'),
  function: v.pipe(
    v.object({
      name: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
      description: v.nullish(v.string(), ''),
      parameters: v.nullish(v.record(v.string(), v.unknown()), { type: 'object', properties: {} }),
      strict: v.nullish(v.literal(false, 'this server does not support `strict`: the model writes its calls freely')),
    }),
    v.transform(({ description, name, parameters }): FunctionDefinition => ({
      ...{ name, description },
      parameters: parameters as FunctionDefinition['parameters'],
    })),
  ),
});

const common = {
  model: v.nullish(v.string()),
  temperature: v.nullish(
    v.pipe(
      between(0, 100),
      v.check((value) => value === 0 || value >= LEAST_TEMPERATURE, `it must be 0, or at least ${LEAST_TEMPERATURE}`),
    ),
    1,
  ),
  top_p: v.nullish(v.pipe(between(0, 1), v.gtValue(0)), 1),
  top_k: v.nullish(whole(-1, 1e9), 0),
  seed: v.nullish(whole(-(2 ** 63), 2 ** 64)),
  n: v.nullish(whole(1, MOST_TEXTS), 1),
  stream: v.nullish(v.boolean(), false),
  stream_options: v.nullish(
    v.strictObject({
      include_usage: v.nullish(v.boolean(), false),
      include_obfuscation: v.nullish(v.boolean()),
      continuous_usage_stats: v.nullish(v.literal(false)),
    }),
  ),
  stop: v.nullish(
    v.pipe(
      v.union([v.string(), v.array(v.string())]),
      v.transform((stop) => [stop].flat().filter((text) => text !== '')),
      v.maxLength(MOST_STOPS, `it has more than ${MOST_STOPS} texts`),
      v.everyItem((text) => text.length <= LONGEST_STOP, `a text has more than ${LONGEST_STOP} characters`),
    ),
    [],
  ),
  return_token_ids: v.nullish(v.boolean(), false),
  max_tokens: v.nullish(whole(1, 1e9)),
};

const chat = v.object({
  ...common,
  messages: v.pipe(v.array(message), v.minLength(1)),
  max_completion_tokens: v.nullish(whole(1, 1e9)),
  logprobs: v.nullish(v.boolean(), false),
  tools: v.nullish(v.pipe(v.array(tool), v.maxLength(MOST_TOOLS, `it has more than ${MOST_TOOLS} items`)), []),
  tool_choice: v.nullish(v.union([v.string(), v.looseObject({})])),
  parallel_tool_calls: v.nullish(v.boolean(), true),
});

/** A text, or ids. What ids a model has is checked later. */
const isPrompt = (value: unknown): value is string | number[] =>
  typeof value === 'string' || (Array.isArray(value) && value.every((id) => typeof id === 'number'));
const prompts = v.pipe(
  v.custom<string | number[] | (string | number[])[]>(
    (value) => isPrompt(value) || (Array.isArray(value) && value.every(isPrompt)),
    'it must be a text, a list of token ids, or a list of these',
  ),
  v.transform((value) => (isPrompt(value) ? [value] : value)),
  v.maxLength(MOST_TEXTS, `it has more than ${MOST_TEXTS} prompts`),
);

const completion = v.object({
  ...common,
  prompt: prompts,
  logprobs: v.nullish(whole(0, 1)),
  stop_token_ids: v.nullish(
    v.pipe(v.array(whole(0, 1e9)), v.maxLength(MOST_STOP_IDS, `it has more than ${MOST_STOP_IDS} ids`)),
    [],
  ),
  ignore_eos: v.nullish(v.boolean(), false),
  add_special_tokens: v.nullish(v.boolean(), false),
  parse_special: v.nullish(v.boolean(), false),
});

const load = v.object({
  lora_name: v.pipe(v.string(), v.nonEmpty()),
  lora_path: v.pipe(v.string(), v.nonEmpty()),
  load_inplace: v.nullish(v.literal(false)),
});
const unload = v.object({
  lora_name: v.pipe(v.string(), v.nonEmpty()),
  lora_int_id: v.nullish(v.number()),
});

/** What was read: the request, and members of the body that were ignored. */
export interface Read<Request> {
  readonly request: Request;
  readonly ignored: readonly string[];
}

export type ChatRequest = v.InferOutput<typeof chat>;
export type CompletionRequest = v.InferOutput<typeof completion>;
export type Message = ChatRequest['messages'][number];
export type AssistantMessage = Extract<Message, { readonly role: 'assistant' }>;

export function readChatRequest(body: unknown): Read<ChatRequest> {
  const { ignored, request } = read(chat, body);
  checkToolChoice(request);
  return { request, ignored: [...ignored, ...checkMessages(body as Raw), ...checkTools(body as Raw)] };
}

export function readCompletionRequest(body: unknown): Read<CompletionRequest> {
  const found = read(completion, body);
  const { n, prompt } = found.request;
  if (prompt.length * n > MOST_TEXTS) {
    const message = `${prompt.length} prompts with \`n\`: ${n} are more than ${MOST_TEXTS} texts`;
    throw new RequestError(400, message, { param: 'n' });
  }
  return found;
}

/** A request to load an adapter. */
export function readLoadRequest(body: unknown): v.InferOutput<typeof load> {
  return read(load, body).request;
}

/** A request to unload an adapter. */
export function readUnloadRequest(body: unknown): v.InferOutput<typeof unload> {
  return read(unload, body).request;
}

/** A model is free in what it writes, so it cannot be made to call a function. */
function checkToolChoice({ tool_choice: choice, tools }: ChatRequest): void {
  const param = 'tool_choice';
  if (choice === undefined || choice === null || choice === 'none') return;
  if (choice !== 'auto') {
    const message = `this server does not support \`tool_choice\`: ${shortened(JSON.stringify(choice))}: the model writes freely, so no call can be promised. It supports "auto" and "none"`;
    throw new RequestError(400, message, { code: 'unsupported_value', param });
  }
  if (tools.length === 0) throw new RequestError(400, '`tool_choice` needs `tools`', { param });
}

/** The body of a chat whose form was checked. */
interface Raw {
  readonly messages: readonly {
    readonly content?: unknown;
    readonly tool_calls?: readonly { readonly function: object }[] | null;
  }[];
  readonly tools?: readonly { readonly function: object }[] | null;
}

function checkMessages({ messages }: Raw): readonly string[] {
  return messages.flatMap((one, index) => {
    const path = `messages.${index}`;
    const parts = Array.isArray(one.content) ? (one.content as readonly object[]) : [];
    return [
      ...checkInside(one, ['role', 'content', 'tool_calls', 'tool_call_id'], path),
      ...parts.flatMap((part, place) => checkInside(part, ['type', 'text'], `${path}.content.${place}`)),
      ...(one.tool_calls ?? []).flatMap((own, place) => [
        ...checkInside(own, ['id', 'type', 'function'], `${path}.tool_calls.${place}`),
        ...checkInside(own.function, ['name', 'arguments'], `${path}.tool_calls.${place}.function`),
      ]),
    ];
  });
}

function checkTools({ tools }: Raw): readonly string[] {
  return (tools ?? []).flatMap((one, index) => [
    ...checkInside(one, ['type', 'function'], `tools.${index}`),
    ...checkInside(one.function, ['name', 'description', 'parameters', 'strict'], `tools.${index}.function`),
  ]);
}

function read<Schema extends v.GenericSchema & { readonly entries: object }>(
  schema: Schema,
  body: unknown,
): Read<v.InferOutput<Schema>> {
  // The first issue is told, so no others are collected.
  const result = v.safeParse(schema, body, { abortEarly: true });
  if (!result.success) {
    const { path, text } = issueText(result.issues[0]);
    throw new RequestError(400, `${path === undefined ? 'the body' : `\`${path}\``}: ${text}`, { param: path });
  }
  return { request: result.output, ignored: checkMembers(body as object, schema.entries) };
}
