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
  if (answers.length !== requests.length)
    throw fault(`returned ${answers.length} answers to ${requests.length} requests`);
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
  if (tokens.length === 0) return 'returned no tokens';
  if (tokens.length > maxTokens) return `returned ${tokens.length} tokens, more than the limit of ${maxTokens}`;
  if (logprobs.length !== tokens.length)
    return `returned ${logprobs.length} log probabilities for ${tokens.length} tokens`;
  const foreign = tokens.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabularySize);
  if (foreign !== undefined) return `sampled the id ${foreign}, which is none of the policy's ${vocabularySize} ids`;
  // Rounding may give a probability slightly above 1.
  const odd = logprobs.find((logprob) => !(logprob <= 1e-3) || logprob === -Infinity);
  if (odd !== undefined) return `returned ${odd} as a log probability`;
  const end = tokens.findIndex((id) => endIds.includes(id));
  if (end >= 0 && end < tokens.length - 1) return `continued after the end token ${tokens[end]}`;
  if (ended !== end >= 0)
    return ended ? 'ended without an end token' : 'returned an end token in an answer that it marked as cut';
  return undefined;
}
