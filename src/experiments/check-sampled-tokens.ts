import type { GeneratedTokens, GenerateRequest } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/**
 * The answers of a sampler, if each of them can be trained on.
 *
 * @param name the sampler's
 * @param vocabularySize number of ids; absent: unknown
 * @throws AG_POLICY_ANSWER that names the request and what is wrong
 */
export function checkSampledTokens(
  name: string,
  requests: readonly GenerateRequest[],
  answers: readonly GeneratedTokens[],
  vocabularySize = Infinity,
): GeneratedTokens[] {
  const fault = (message: string, place?: number) =>
    new AgentgymError('AG_POLICY_ANSWER', {
      message: `The sampler \`${name}\` ${place === undefined ? '' : `answered request ${place + 1} of ${requests.length}, and `}${message}.`,
      path: 'policy.sampler',
    });
  if (answers.length !== requests.length) throw fault(`gave ${answers.length} answers to ${requests.length} requests`);
  return answers.map((answer, place) => {
    const wrong = problemOf(answer, requests[place] as GenerateRequest, vocabularySize);
    if (wrong !== undefined) throw fault(wrong, place);
    return answer;
  });
}

function problemOf(
  { ended, logprobs, tokens }: GeneratedTokens,
  { endIds, maxTokens }: GenerateRequest,
  vocabularySize: number,
): string | undefined {
  if (tokens.length === 0) return 'gave no tokens';
  if (tokens.length > maxTokens) return `gave ${tokens.length} tokens, not ${maxTokens} at most`;
  if (logprobs.length !== tokens.length) return `gave ${logprobs.length} log probabilities for ${tokens.length} tokens`;
  const foreign = tokens.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabularySize);
  if (foreign !== undefined) return `sampled the id ${foreign}, which is none of the policy's ${vocabularySize} ids`;
  // Rounding may give a probability slightly above 1.
  const odd = logprobs.find((logprob) => !(logprob <= 1e-3) || logprob === -Infinity);
  if (odd !== undefined) return `gave ${odd} as a log probability`;
  const end = tokens.findIndex((id) => endIds.includes(id));
  if (end >= 0 && end < tokens.length - 1) return `went on after the end token ${tokens[end]}`;
  if (ended !== end >= 0) return ended ? 'ended without an end token' : 'gave an end token as if it were cut';
  return undefined;
}
