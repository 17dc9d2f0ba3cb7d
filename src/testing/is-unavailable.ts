/** A world says by the code of its error that it is down: a server that nobody started, a machine that is off. */
export function isUnavailable(error: unknown): error is Error {
  return error instanceof Error && (error as Error & { readonly code?: unknown }).code === 'UNAVAILABLE';
}
