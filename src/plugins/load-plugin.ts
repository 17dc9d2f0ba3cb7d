import { pathToFileURL } from 'node:url';

import { installCommand } from '../config/install-command.js';
import type { Contribution } from '../contracts/plugin.js';
import { withinDeadline } from '../errors/within-deadline.js';
import { messageOf } from '../errors/message-of.js';
import { checkContributions } from './check-contributions.js';
import { API_VERSION, inspectDeclaration, type PackageFault } from './inspect-package.js';
import type { PluginSource } from './plugin-source.js';

/** Why a plugin is left out, and what to do about it. */
export interface PluginProblem {
  readonly plugin: string;
  readonly version: string;
  readonly message: string;
  readonly hint: string;
}

export type LoadedPlugin =
  | { readonly entry: string; readonly contributions: readonly Contribution[] }
  | { readonly problem: PluginProblem };

/**
 * Checks a plugin's package.json, then imports its entry and checks its exports. Never throws: errors of a plugin are
 * its problems. An import that blocks the thread cannot be stopped; one that never settles is abandoned at a deadline.
 */
export async function loadPlugin(source: PluginSource, deadlineSeconds: number): Promise<LoadedPlugin> {
  const problem = (message: string, hint: string): LoadedPlugin => ({
    problem: { plugin: source.name, version: source.version, message, hint },
  });
  const inspection = inspectDeclaration(source.root, source.declaration);
  const [fault] = inspection.faults;
  if (fault !== undefined) return problem(fault.message, cureOf(fault, source));
  // Without a fault there is an entry.
  const entry = inspection.entry as string;
  const { plugin } = source.declaration as { plugin: string };
  try {
    const module = await withinDeadline('the import of its entry', 1000 * deadlineSeconds, () => importEntry(entry));
    const { contributions, complaints } = checkContributions(module.default);
    if (contributions !== undefined) return { entry, contributions };
    return problem(
      `its entry ${plugin} does not export a valid list of contributions: ${complaints.join('; ')}`,
      'Report it to its author.',
    );
  } catch (error) {
    const cause = messageOf(error);
    return problem(`its entry ${plugin} could not be imported: ${cause}`, 'Report it to its author, or uninstall it.');
  }
}

/** What a user of a plugin can do about the fault. */
function cureOf({ kind }: PackageFault, source: PluginSource): string {
  if (kind === 'plugin-field') {
    return `Its author must add "agentgym": {"apiVersion": ${API_VERSION}, "plugin": "./dist/index.js"}. Until then, uninstall it.`;
  }
  if (kind === 'api-version') return `Install another version: \`${installCommand(source, 'VERSION')}\`.`;
  if (kind === 'entry-path') return 'Its author must name a file inside the package: "plugin": "./dist/index.js".';
  return ['project', 'linked'].includes(source.origin)
    ? `Build it: \`npm run build\` in ${source.root}.`
    : `Install it again: \`${installCommand(source)}\`.`;
}

function importEntry(entry: string): Promise<{ default?: unknown }> {
  return import(pathToFileURL(entry).href) as Promise<{ default?: unknown }>;
}
