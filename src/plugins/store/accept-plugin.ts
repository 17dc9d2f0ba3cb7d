import { AgentgymError } from '../../errors/agentgym-error.js';
import type { PluginOwner } from '../call-plugin.js';
import { checkPackage, type PluginPackage } from './check-package.js';
import { probePlugin, type ProbedContribution } from './probe-plugin.js';

/** A name that another plugin already contributes. */
export type ClaimedName = Pick<PluginOwner, 'kind' | 'name' | 'package'>;

/** Settings for the checks that a plugin must pass before it is used. */
export interface AcceptanceSettings {
  readonly hostVersion: string;
  readonly signal: AbortSignal;
  /** The name under which it is installed; absent for a link, which goes by the name in its package.json. */
  readonly name?: string;
  /** The contributions of all other plugins. Called only after the other checks have passed. */
  readonly claimed: () => Promise<readonly ClaimedName[]>;
  /** Called between reading the package and importing it, for its install scripts. */
  readonly prepare?: (json: PluginPackage) => Promise<void>;
}

/** A plugin that has passed all checks. */
export interface AcceptedPlugin {
  readonly json: PluginPackage;
  readonly contributions: readonly ProbedContribution[];
}

/**
 * Checks a plugin's package, first without running any of its code, then by importing it in another process. Also
 * checks that its names are free.
 *
 * @throws AgentgymError AG_PLUGIN_REFUSED, AG_CONTRIBUTION_CONFLICT
 */
export async function acceptPlugin(root: string, settings: AcceptanceSettings): Promise<AcceptedPlugin> {
  const json = await checkPackage(root, settings.hostVersion);
  const { name: installed = json.name } = settings;
  if (json.name !== installed) {
    throw new AgentgymError('AG_PLUGIN_REFUSED', {
      message: `${installed} ${json.version} is refused: its package.json has another name, ${json.name}`,
      hint: `To use ${json.name}, install it under its own name.`,
    });
  }
  await settings.prepare?.(json);
  const contributions = await probePlugin(root, json, settings.signal);
  const claimed = (await settings.claimed()).filter((claim) => claim.package !== json.name);
  for (const { kind, name } of contributions) {
    const other = claimed.find((claim) => claim.kind === kind && claim.name === name);
    if (other === undefined) continue;
    throw new AgentgymError('AG_CONTRIBUTION_CONFLICT', {
      message: `${json.name} ${json.version} is refused: it contributes the ${kind} \`${name}\`, but ${other.package} contributes it too`,
      hint: `Names are unique: use only one of the two. \`agentgym plugins\` shows where ${other.package} comes from.`,
    });
  }
  return { json, contributions };
}
