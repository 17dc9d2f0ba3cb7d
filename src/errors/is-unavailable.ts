/** True if an error of a plugin says that its world or its server is down, so that nothing can go on. */
export function isUnavailable(error: unknown): error is Error {
  return error instanceof Error && (error as Error & { readonly code?: unknown }).code === 'UNAVAILABLE';
}
