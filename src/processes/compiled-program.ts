import { existsSync } from 'node:fs';

/** A compiled program. @param beside its place next to the file that names it: if that runs from source, it is in dist */
export function compiledProgram(beside: URL): URL {
  return existsSync(beside) ? beside : new URL(beside.href.replace(/\/src\/(?!.*\/src\/)/, '/dist/'));
}
