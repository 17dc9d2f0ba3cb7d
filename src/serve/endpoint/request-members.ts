// What this server does with members of requests that it does not read: those of OpenAI, vLLM, llama.cpp, SGLang and others. A
// member that is in no list here, and that no schema reads, is refused: it may change the answer.
import { unsupported } from './request-error.js';

/** Members that change no answer of this server, whatever their value. */
const HARMLESS: ReadonlySet<string> = new Set([
  // About the client, accounts, caches and the order of requests.
  ...['user', 'metadata', 'store', 'service_tier', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention'],
  ...['prompt_cache_options', 'request_id', 'rid', 'priority', 'cache_salt', 'cache_prompt', 'id_slot', 'keep_alive'],
  // Further facts in an answer.
  ...['timings_per_token', 'return_progress', 'stream_reasoning'],
  // How control tokens in the middle of a text are shown. This server shows them.
  ...['skip_special_tokens', 'spaces_between_special_tokens'],
  // Settings of samplers that are off unless another member turns them on.
  ...['repeat_last_n', 'penalize_nl', 'dry_base', 'dry_allowed_length', 'dry_penalty_last_n', 'dry_sequence_breakers'],
  ...['mirostat_eta', 'mirostat_tau', 'xtc_threshold', 'dynatemp_exponent', 'n_discard', 'n_keep'],
]);

/** Members that would change the answer, and the values with which they do not. Null and absent never do. */
const NEUTRAL: { readonly [name: string]: readonly unknown[] } = {
  add_generation_prompt: [true],
  add_special_tokens: [false],
  allowed_token_ids: [[]],
  bad_words: [[]],
  best_of: [1],
  chat_template_kwargs: [{}],
  continue_final_message: [false],
  detokenize: [true],
  documents: [[]],
  dry_multiplier: [0],
  dynatemp_range: [0],
  early_stopping: [false],
  ebnf: [''],
  echo: [false],
  frequency_penalty: [0],
  function_call: ['none', 'auto'],
  functions: [[]],
  grammar: [''],
  guided_grammar: [''],
  guided_regex: [''],
  ignore_eos: [false],
  include_reasoning: [true],
  include_stop_str_in_output: [false],
  length_penalty: [1],
  logit_bias: [{}, []],
  logits_processors: [[]],
  lora: [[]],
  min_keep: [0, 1],
  min_new_tokens: [0],
  min_p: [0],
  min_tokens: [0],
  mirostat: [0],
  mm_processor_kwargs: [{}],
  modalities: [['text']],
  n_indent: [0],
  n_probs: [0],
  no_stop_trim: [false],
  parse_special: [false],
  parse_tool_calls: [true],
  post_sampling_probs: [false],
  prediction: [{}],
  presence_penalty: [0],
  reasoning_budget: [-1],
  reasoning_format: ['none'],
  regex: [''],
  repeat_penalty: [1],
  repetition_penalty: [1],
  response_format: [{ type: 'text' }],
  response_fields: [[]],
  return_hidden_states: [false],
  return_tokens: [false],
  return_tokens_as_token_ids: [false],
  samplers: [[]],
  separate_reasoning: [false],
  stop_token_ids: [[]],
  structured_outputs: [{}],
  suffix: [''],
  t_max_predict_ms: [0],
  tfs_z: [1],
  thinking_forced_open: [false],
  tools: [[]],
  top_logprobs: [0],
  top_n_sigma: [-1, 0],
  typ_p: [1],
  typical_p: [1],
  use_beam_search: [false],
  verbosity: ['medium'],
  vllm_xargs: [{}],
  xtc_probability: [0],
};

/** Members of messages, their parts, tools and calls that change no answer. */
const HARMLESS_INSIDE: ReadonlySet<string> = new Set(['name', 'index', 'annotations', 'cache_control']);
/** What clients send back of answers that had nothing there. */
const NEUTRAL_INSIDE: typeof NEUTRAL = {
  prefix: [false],
  reasoning: [''],
  reasoning_content: [''],
  refusal: [''],
  thinking: [''],
  tool_call_id: [''],
  tool_calls: [[]],
};

/**
 * Refuses the members of a request that are not read and may change the answer.
 *
 * @param read the members that are read
 * @returns members that were ignored although they say something
 * @throws RequestError
 */
export function checkMembers(request: object, read: object): readonly string[] {
  return check(request, (name) => Object.hasOwn(read, name), HARMLESS, NEUTRAL);
}

/** The same for a message, a part of one, a tool or a call. `path` is its place in the request. */
export function checkInside(value: object, read: readonly string[], path: string): readonly string[] {
  return check(value, (name) => read.includes(name), HARMLESS_INSIDE, NEUTRAL_INSIDE, `${path}.`);
}

function check(
  value: object,
  isRead: (name: string) => boolean,
  harmless: ReadonlySet<string>,
  neutral: typeof NEUTRAL,
  path = '',
): readonly string[] {
  const ignored: string[] = [];
  for (const [name, one] of Object.entries(value)) {
    if (isRead(name) || one === null) continue;
    const values = Object.hasOwn(neutral, name) ? neutral[name]! : [];
    if (harmless.has(name)) ignored.push(name);
    else if (!values.some((neutralValue) => isSameJson(neutralValue, one))) throw unsupported(`${path}${name}`);
  }
  return ignored;
}

/** Whether two values are equal. The first is one of the small ones above. */
function isSameJson(neutral: unknown, value: unknown): boolean {
  if (typeof neutral !== 'object' || typeof value !== 'object' || value === null) return neutral === value;
  const [own, given] = [Object.entries(neutral as object), Object.entries(value)];
  if (Array.isArray(neutral) !== Array.isArray(value) || own.length !== given.length) return false;
  return own.every(([name, one]) => isSameJson(one, (value as { readonly [name: string]: unknown })[name]));
}
