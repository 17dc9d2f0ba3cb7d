import { isAgentgymError } from './agentgym-error.js';
import type { ErrorCode } from './error-codes.js';
import { isUnavailable } from './is-unavailable.js';

/** The code that users are told about any thrown value. */
export function codeOf(thrown: unknown): ErrorCode {
  if (isAgentgymError(thrown)) return thrown.code;
  // Worlds and players have errors of their own, so this is the server of a policy.
  return isUnavailable(thrown) ? 'AG_POLICY_UNAVAILABLE' : 'AG_BUG';
}
