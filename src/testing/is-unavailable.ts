/** True if an error means that the world is down, such as a server that is not running or a machine that is off. */
export function isUnavailable(error: unknown): error is Error {
  return error instanceof Error && (error as Error & { readonly code?: unknown }).code === 'UNAVAILABLE';
}
