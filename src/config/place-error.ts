import { AgentgymError } from '../errors/agentgym-error.js';
import { Complaints } from './complaints.js';
import type { KeyPath, RecipeLayer } from './recipe-layer.js';

/**
 * Adds the file and line, or the flag, to an error that names a key of a recipe. An error without a key stays
 * unchanged.
 *
 * @param originOf the layer that a key came from
 */
export function placeError(error: AgentgymError, originOf: (path: KeyPath) => RecipeLayer | undefined): AgentgymError {
  if (error.path === undefined || error.file !== undefined) return error;
  const complaints = new Complaints(originOf);
  complaints.add(error.code, parsePath(error.path), error.message, error.hint);
  const [finding] = complaints.findings;
  return finding === undefined ? error : new AgentgymError(error.code, { ...finding, cause: error });
}

/** `reward.terms[0].name` as a path. */
function parsePath(text: string): KeyPath {
  return (text.match(/[^.[\]]+/g) ?? []).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}
