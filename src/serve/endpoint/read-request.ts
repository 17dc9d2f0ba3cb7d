// Reads the bodies of requests. What a client may send and this server ignores without a change of the answer is ignored;
// what would change the answer and is not supported is refused.
import * as v from 'valibot';

import type { FunctionDefinition } from '../../contracts/function-calls.js';
import { readObject } from './read-tool-calls.js';
import { RequestError, unsupported } from './request-error.js';

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

const argumentsText = v.pipe(
  v.string(),
  v.rawTransform(({ addIssue, dataset, NEVER }) => {
    const values = readObject(dataset.value);
    if (values !== undefined) return values;
    addIssue({ message: 'the text is no JSON object' });
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
  temperature: v.nullish(between(0, 100), 1),
  top_p: v.nullish(v.pipe(between(0, 1), v.gtValue(0)), 1),
  top_k: v.nullish(whole(-1, 1e9), 0),
  seed: v.nullish(v.pipe(v.number(), v.integer())),
  n: v.nullish(whole(1, 128), 1),
  stream: v.nullish(v.boolean(), false),
  stream_options: v.nullish(v.object({ include_usage: v.nullish(v.boolean(), false) })),
  stop: v.nullish(
    v.pipe(
      v.union([v.string(), v.array(v.string())]),
      v.transform((stop) => [stop].flat()),
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
  tools: v.nullish(v.array(tool), []),
  tool_choice: v.nullish(v.union([v.string(), v.looseObject({})])),
  parallel_tool_calls: v.nullish(v.boolean(), true),
});

const completion = v.object({
  ...common,
  prompt: v.union([v.string(), v.array(whole(0, 1e9))]),
  logprobs: v.nullish(whole(0, 1)),
  stop_token_ids: v.nullish(v.array(whole(0, 1e9)), []),
  ignore_eos: v.nullish(v.boolean(), false),
});

const load = v.object({ lora_name: v.pipe(v.string(), v.nonEmpty()), lora_path: v.pipe(v.string(), v.nonEmpty()) });
const unload = v.object({ lora_name: v.pipe(v.string(), v.nonEmpty()) });

export type ChatRequest = v.InferOutput<typeof chat>;
export type CompletionRequest = v.InferOutput<typeof completion>;
export type Message = ChatRequest['messages'][number];

/** Members that would change the answer, and the values with which they do not. */
const REFUSED: { readonly [name: string]: readonly unknown[] } = {
  audio: [],
  best_of: [1],
  echo: [false],
  frequency_penalty: [0],
  functions: [],
  guided_choice: [],
  guided_grammar: [],
  guided_json: [],
  guided_regex: [],
  logit_bias: [],
  min_p: [0],
  min_tokens: [0],
  prediction: [],
  presence_penalty: [0],
  repetition_penalty: [1],
  ignore_eos: [false],
  stop_token_ids: [],
  structured_outputs: [],
  suffix: [''],
  tools: [],
  top_logprobs: [0],
};

export function readChatRequest(body: unknown): ChatRequest {
  const request = read(chat, body);
  checkToolChoice(request);
  return request;
}

export function readCompletionRequest(body: unknown): CompletionRequest {
  return read(completion, body);
}

/** A request to load an adapter. */
export function readLoadRequest(body: unknown): v.InferOutput<typeof load> {
  return read(load, body);
}

/** A request to unload an adapter. */
export function readUnloadRequest(body: unknown): v.InferOutput<typeof unload> {
  return read(unload, body);
}

/** A model is free in what it writes, so it cannot be made to call a function. */
function checkToolChoice({ tool_choice: choice, tools }: ChatRequest): void {
  const param = 'tool_choice';
  if (choice === undefined || choice === null || choice === 'none') return;
  if (choice !== 'auto') {
    const message = `this server does not support \`tool_choice\`: ${JSON.stringify(choice)}: the model writes freely, so no call can be promised. It supports "auto" and "none"`;
    throw new RequestError(400, message, { code: 'unsupported_value', param });
  }
  if (tools.length === 0) throw new RequestError(400, '`tool_choice` needs `tools`', { param });
}

function read<Schema extends v.GenericSchema & { readonly entries: object }>(
  schema: Schema,
  body: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body);
  if (!result.success) {
    const [issue] = result.issues;
    const path = v.getDotPath(issue) ?? undefined;
    throw new RequestError(400, `${path === undefined ? 'the body' : `\`${path}\``}: ${issue.message}`, {
      ...(path !== undefined && { param: path }),
    });
  }
  for (const [name, value] of Object.entries(body as object)) {
    if (
      Object.hasOwn(schema.entries, name) ||
      !Object.hasOwn(REFUSED, name) ||
      isNothing(value) ||
      REFUSED[name]!.includes(value)
    )
      continue;
    throw unsupported(name);
  }
  const { type } = (body as { response_format?: { type?: unknown } | null }).response_format ?? {};
  if (type !== undefined && type !== 'text') throw unsupported('response_format');
  return result.output;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}
