/** Why a challenge cannot be made as asked for: an option that it does not know, or options that exclude each other. */
export class ChallengeError extends Error {
  override name = 'ChallengeError';
}
