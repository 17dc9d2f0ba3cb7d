import type { GeneratedTokens, GenerateRequest, JsonPlace } from '@agentgym/cli';

import { refuseFault } from './read-chat.js';
import { Unavailable } from './server-errors.js';
import { wordsOf } from './server-words.js';

const ownDefaults =
  'Start vLLM with `--generation-config vllm`, so that it samples only as the requests say, and with a `--max-model-len` for whole episodes.';

/** vLLM writes -9999 for what cannot be sampled, and rounding may give a little more than 0. */
const LEAST_LOGPROB = -10_000;
const MOST_LOGPROB = 1e-3;
const MOST_ID = 2 ** 31 - 1;

/**
 * The tokens and log probabilities of an answer, in vLLM's words. vLLM gives the sampled end token, too, although it is in
 * no text.
 *
 * @param model the name that was asked for
 * @throws Unavailable with the cure if the answer cannot be trained on: no other answer of the server could; ServerFault, or
 * the error of `document`, if it makes no sense
 */
export function readCompletion(
  document: JsonPlace,
  model: string,
  { endIds, maxTokens, tokens: prompt }: GenerateRequest,
): GeneratedTokens {
  refuseFault(document, 'it');
  const answered = document.member('model').value;
  const [choice] = document.member('choices').items();
  if (choice === undefined) throw new Unavailable('it answered without a choice');
  refuseFault(choice, 'it');
  const reason = choice.member('finish_reason').value;
  const [ids, readIds, logprobs] = [
    choice.member('token_ids'),
    choice.member('prompt_token_ids'),
    choice.member('logprobs'),
  ];
  if (ids.isAbsent || readIds.isAbsent) {
    throw new Unavailable(
      'it returned no token ids (`return_token_ids`): vLLM and `agentgym serve` do, hosted models do not',
    );
  }
  const [tokens, read] = [ids.integers(0, MOST_ID), readIds.integers(0, MOST_ID)];
  const numbers = logprobs.isAbsent ? logprobs : logprobs.member('token_logprobs');
  if (numbers.isAbsent || (Array.isArray(numbers.value) && numbers.value.includes(null))) {
    throw new Unavailable('it returned no log probabilities of the sampled tokens');
  }
  const given = numbers.numbers(LEAST_LOGPROB, MOST_LOGPROB);
  if (given.length !== tokens.length) {
    throw new Unavailable(`it returned ${given.length} log probabilities for ${tokens.length} tokens`);
  }
  if (read.length !== prompt.length || read.some((id, place) => id !== prompt[place])) {
    throw new Unavailable('it read other token ids than those that were sent: does it cut prompts, or add to them?');
  }
  if (answered !== model) {
    throw new Unavailable(`it answered with the model ${wordsOf(answered)}, not with the published ${model}`);
  }
  const ended = endIds.includes(tokens.at(-1) ?? -1);
  // A server may have end tokens and caps of its own, from the model's generation_config.json.
  if (reason === 'length' ? !ended && tokens.length < maxTokens : reason !== 'stop') {
    throw new Unavailable(
      `it ended an action after ${tokens.length} of ${maxTokens} tokens (\`finish_reason\`: ${wordsOf(reason)}). ${ownDefaults}`,
    );
  }
  if (reason === 'stop' && !ended) {
    throw new Unavailable(`it ended an action at the id ${tokens.at(-1)}, which is not an end token. ${ownDefaults}`);
  }
  return { tokens, logprobs: given, ended };
}
