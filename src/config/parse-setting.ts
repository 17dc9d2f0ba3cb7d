import { parse } from 'yaml';

import { AgentgymError } from '../errors/agentgym-error.js';
import type { KeyMap, RecipeLayer } from './recipe-layer.js';

/** One key that a flag of the command line sets. */
export interface Setting {
  /** The flag as the user wrote it, for messages. */
  readonly flag: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * Reads `algorithm.groupSize=8`; the value is YAML, so that numbers, lists and maps need no further quoting.
 *
 * @throws AgentgymError AG_SET_INVALID
 */
export function parseSetting(text: string): Setting {
  const flag = `--set ${text}`;
  const at = text.indexOf('=');
  const path = text.slice(0, Math.max(at, 0)).split('.');
  if (at < 1 || path.some((key) => key === '' || key === '__proto__')) {
    throw new AgentgymError('AG_SET_INVALID', { message: `\`${flag}\` is not of the form key.path=value` });
  }
  if (path.some((key) => /^\d+$|\[/.test(key))) {
    const hint = `Set the whole list: \`--set '${
      path
        .slice(
          0,
          path.findIndex((key) => /^\d+$|\[/.test(key)),
        )
        .join('.') || 'KEY'
    }=[...]'\`.`;
    throw new AgentgymError('AG_SET_INVALID', { message: `\`${flag}\`: items of a list are not set one by one`, hint });
  }
  if (path[0] === 'extends') {
    const hint = 'Name the other recipe itself, or write a file that extends it.';
    throw new AgentgymError('AG_SET_INVALID', { message: `\`${flag}\`: \`extends\` belongs in a file`, hint });
  }
  try {
    return { flag, path, value: parse(text.slice(at + 1)) as unknown };
  } catch (error) {
    const message = `\`${flag}\`: its value is not well-formed YAML: ${(error as Error).message.split('\n')[0] ?? ''}`;
    throw new AgentgymError('AG_SET_INVALID', { message, hint: 'Quote it for the shell and for YAML.', cause: error });
  }
}

/** A setting as the topmost layer of a recipe. */
export function settingLayer({ flag, path, value }: Setting): RecipeLayer {
  const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as KeyMap;
  return { origin: 'flag', label: flag, value: nested, line: () => undefined };
}
