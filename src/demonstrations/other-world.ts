import { isDeepStrictEqual } from 'node:util';

import type { DemonstrationHeader, PlayedEnvironment } from './demonstration-header.js';

/**
 * Why demonstrations under this header cannot train in an environment: they are of another environment, of other
 * options, or not of training tasks. Undefined if they can. Options that the file does not know are new, and do not
 * count.
 */
export function otherWorld(
  header: DemonstrationHeader,
  environment: Pick<PlayedEnvironment, 'name' | 'options'>,
): string | undefined {
  const { name, options } = header.environment;
  if (name !== environment.name) {
    return `it was played in the environment \`${name}\`, not in \`${environment.name}\``;
  }
  for (const [key, value] of Object.entries(options)) {
    const own = environment.options[key];
    if (isDeepStrictEqual(value, own)) continue;
    const there = own === undefined ? 'has no such option' : `has ${JSON.stringify(own)}`;
    return `it was played with the option \`${key}\`: ${JSON.stringify(value)}, but the environment of the recipe ${there}`;
  }
  if (header.split !== 'train') return `its tasks are of the ${header.split} split`;
  return undefined;
}
