import { hasSecret } from '../errors/hide-secrets.js';
import type { Complaints } from './complaints.js';
import { isKeyMap, formatPath, type KeyPath } from './recipe-layer.js';

/**
 * Complains about addresses with a secret, wherever a recipe has them: the run keeps its recipe, and shows it. An address
 * of which something else is wrong has a complaint already.
 */
export function refuseSecrets(recipe: object, complaints: Complaints): void {
  const found = new Set(complaints.findings.map(({ path }) => path));
  for (const path of secretPaths(recipe, [])) {
    const name = formatPath(path);
    if (found.has(name)) continue;
    const message = `\`${name}\` has an address with a name, a password or a key. It must have no name and no password, because the run keeps its recipe`;
    complaints.add(
      'AG_RECIPE_INVALID',
      path,
      message,
      'Remove them, and use an environment variable; `agentgym describe KIND NAME` names it.',
    );
  }
}

function secretPaths(value: unknown, path: KeyPath): KeyPath[] {
  if (typeof value === 'string') return hasSecret(value) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => secretPaths(item, [...path, index]));
  if (!isKeyMap(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => secretPaths(member, [...path, key]));
}
