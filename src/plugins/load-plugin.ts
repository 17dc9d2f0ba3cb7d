import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { installCommand } from '../config/install-command.js';
import type { Contribution, PluginApiVersion } from '../contracts/plugin.js';
import { withinDeadline } from '../errors/within-deadline.js';
import { messageOf } from '../errors/message-of.js';
import { checkContributions } from './check-contributions.js';
import { isPluginDeclaration, liesInside, type PluginSource } from './plugin-source.js';

/** The version of the plugin API that this host speaks. */
export const API_VERSION: PluginApiVersion = 1;

/** Why a plugin is left out, and what to do about it. */
export interface PluginProblem {
  readonly plugin: string;
  readonly version: string;
  readonly message: string;
  readonly hint: string;
}

export type LoadedPlugin =
  { readonly entry: string; readonly contributions: readonly Contribution[] } | { readonly problem: PluginProblem };

/**
 * Checks what a plugin's package.json says, then imports its entry and checks what that exports. Never throws: what is
 * wrong with a plugin is the plugin's problem. An import that blocks the thread cannot be stopped; one that merely
 * never settles is given up on.
 */
export async function loadPlugin(source: PluginSource, deadlineSeconds: number): Promise<LoadedPlugin> {
  const problem = (message: string, hint: string): LoadedPlugin => ({
    problem: { plugin: source.name, version: source.version, message, hint },
  });
  if (!isPluginDeclaration(source.declaration)) {
    return problem(
      'its package.json has no `agentgym` field, so nothing of it can be used',
      'Its author adds "agentgym": {"apiVersion": 1, "plugin": "./dist/index.js"}; until then uninstall it.',
    );
  }
  const { apiVersion, plugin } = source.declaration as { apiVersion?: unknown; plugin?: unknown };
  if (apiVersion !== API_VERSION) {
    const message = `it is written for version ${JSON.stringify(apiVersion) ?? 'none'} of the plugin API; this agentgym has version ${API_VERSION}`;
    return problem(message, `Install another version: \`${installCommand(source, 'VERSION')}\`.`);
  }
  if (typeof plugin !== 'string') {
    return problem(
      '`agentgym.plugin` in its package.json is not a path',
      'Name its entry: "plugin": "./dist/index.js".',
    );
  }
  const entry = resolve(source.root, plugin);
  if (!liesInside(source.root, plugin)) {
    return problem(`its entry ${plugin} lies outside of its package`, 'Name a file of the package itself.');
  }
  try {
    await access(entry);
  } catch {
    return problem(
      `its entry ${plugin} does not exist`,
      ['project', 'linked'].includes(source.origin)
        ? `Build it: \`npm run build\` in ${source.root}.`
        : `Install it again: \`${installCommand(source)}\`.`,
    );
  }
  try {
    const module = await withinDeadline('the import of its entry', 1000 * deadlineSeconds, () => importEntry(entry));
    const { contributions, complaints } = checkContributions(module.default);
    if (contributions !== undefined) return { entry, contributions };
    return problem(
      `its entry ${plugin} exports something else than a list of contributions: ${complaints.join('; ')}`,
      'Report it to its author.',
    );
  } catch (error) {
    const cause = messageOf(error);
    return problem(`its entry ${plugin} could not be imported: ${cause}`, 'Report it to its author, or uninstall it.');
  }
}

function importEntry(entry: string): Promise<{ default?: unknown }> {
  return import(pathToFileURL(entry).href) as Promise<{ default?: unknown }>;
}
