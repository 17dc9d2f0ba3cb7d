import type { GeneratedTokens, GenerateRequest } from '@agentgym/cli';

import { Unavailable } from './server-errors.js';

/** The members of an answer to `/completions` that are read, in vLLM's words; nothing about them is certain. */
interface Completion {
  readonly model?: unknown;
  readonly choices?: readonly {
    readonly finish_reason?: unknown;
    readonly token_ids?: unknown;
    readonly prompt_token_ids?: unknown;
    readonly logprobs?: { readonly token_logprobs?: unknown } | null;
  }[];
}

const ownDefaults =
  'Start vLLM with `--generation-config vllm`, so that it samples only as the requests say, and with a `--max-model-len` for whole episodes.';

/**
 * The tokens and log probabilities of an answer. vLLM gives the sampled end token, too, although it is in no text.
 *
 * @param model the name that was asked for
 * @throws Unavailable with the cure if the answer cannot be trained on: no other answer of the server could
 */
export function readCompletion(
  answer: object,
  model: string,
  { endIds, maxTokens, tokens: prompt }: GenerateRequest,
): GeneratedTokens {
  const { choices, model: answered } = answer as Completion;
  const [choice] = choices ?? [];
  if (choice === undefined) throw new Unavailable('it answered without a choice');
  const { finish_reason: reason, logprobs, prompt_token_ids: read, token_ids: tokens } = choice;
  if (!isNumbers(tokens) || !isNumbers(read)) {
    throw new Unavailable(
      'it gave no token ids (`return_token_ids`): vLLM and `agentgym serve` do, hosted models do not',
    );
  }
  const given = logprobs?.token_logprobs;
  if (!isNumbers(given)) throw new Unavailable('it gave no log probabilities of the sampled tokens');
  if (given.length !== tokens.length) {
    throw new Unavailable(`it gave ${given.length} log probabilities for ${tokens.length} tokens`);
  }
  if (read.length !== prompt.length || read.some((id, place) => id !== prompt[place])) {
    throw new Unavailable('it read other token ids than those that were sent: does it cut prompts, or add to them?');
  }
  if (answered !== model) {
    throw new Unavailable(`it answered with the model ${String(answered)}, not with the published ${model}`);
  }
  const ended = endIds.includes(tokens.at(-1) ?? -1);
  // A server may have end tokens and caps of its own, from the model's generation_config.json.
  if (reason === 'length' ? !ended && tokens.length < maxTokens : reason !== 'stop') {
    throw new Unavailable(
      `it ended an action after ${tokens.length} of ${maxTokens} tokens (\`finish_reason\`: ${String(reason)}). ${ownDefaults}`,
    );
  }
  if (reason === 'stop' && !ended) {
    throw new Unavailable(`it ended an action at the id ${tokens.at(-1)}, which is no end token. ${ownDefaults}`);
  }
  return { tokens, logprobs: given, ended };
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number');
}
