import { AgentgymError } from '../errors/agentgym-error.js';
import { hideSecrets } from '../errors/hide-secrets.js';
import { parseDocument, reservedKeys } from './parse-document.js';
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
 * @param name the flag with this text
 * @throws AgentgymError AG_SET_INVALID
 */
export function parseSetting(
  text: string,
  name: '--set' | '--option' | '--policy-option' | '--format-option' | '--runner-option' = '--set',
): Setting {
  const flag = `${name} ${hideSecrets(text)}`;
  const wrong = (message: string, hint: string, cause?: unknown) =>
    new AgentgymError('AG_SET_INVALID', { message: `\`${flag}\`${message}`, hint, cause });
  const at = text.indexOf('=');
  const path = text.slice(0, Math.max(at, 0)).split('.');
  if (at < 1 || path.some((key) => key === '' || reservedKeys.includes(key))) {
    throw wrong(
      ' is not of the form key=value',
      `Write it like \`${name} ${name === '--set' ? 'algorithm.groupSize=8' : 'width=20'}\`.`,
    );
  }
  const index = path.findIndex((key) => /^\d+$|\[/.test(key));
  if (index >= 0) {
    const list = [...path.slice(0, index), ...(path[index] ?? '').split('[', 1)].filter((key) => !/^\d*$/.test(key));
    throw wrong(': single items of a list cannot be set', `Set the whole list: \`${name} '${list.join('.')}=[...]'\`.`);
  }
  if (name === '--set' && path[0] === 'extends') {
    throw wrong(': `extends` works only in a file', 'Use the other recipe itself, or write a file that extends it.');
  }
  try {
    return { flag, path, value: parseDocument(text.slice(at + 1)).content };
  } catch (error) {
    const cause = (error as Error).message.split('\n')[0]?.replace(/:$/, '') ?? '';
    throw wrong(`: its value cannot be read: ${cause}`, 'Quote it for the shell and for YAML.', error);
  }
}

/** A setting as the topmost layer of a recipe. */
export function settingLayer({ flag, path, value }: Setting): RecipeLayer {
  const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as KeyMap;
  return { origin: 'flag', label: flag, value: nested, line: () => undefined };
}
