import type { PluginOrigin, PluginSource } from './plugin-source.js';

/** Where a package comes from, in words. */
export const originWords: { readonly [origin in PluginOrigin]: string } = {
  project: 'of the project',
  linked: 'linked',
  user: 'installed',
  'built-in': 'built in',
};

/** One line for each package that replaces another one with the same name. */
export function replacedLines(packages: readonly PluginSource[]): string[] {
  return packages.flatMap(({ name, version, origin, insteadOf }) => {
    if (insteadOf === undefined) return [];
    const other = `${insteadOf.version} (${originWords[insteadOf.origin]})`;
    return [`${name} ${version} (${originWords[origin]}) is used, not ${other}.`];
  });
}
