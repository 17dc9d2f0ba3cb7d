/**
 * Refuses a flag beside any of these, which may be used together. oclif's own `exclusive` shows all of them in the line of
 * usage as alternatives, which is true of two flags only.
 */
export function excludeFlags(...flags: readonly string[]): { relationships: { type: 'none'; flags: string[] }[] } {
  return { relationships: [{ type: 'none', flags: [...flags] }] };
}
