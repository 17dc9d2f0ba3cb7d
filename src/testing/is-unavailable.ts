/**
 * The code of a world's error that means that the world is down: a server that is not running, a machine that is off.
 */
export function isUnavailable(error: unknown): error is Error {
  return error instanceof Error && (error as Error & { readonly code?: unknown }).code === 'UNAVAILABLE';
}
