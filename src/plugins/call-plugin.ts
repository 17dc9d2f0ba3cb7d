import type { Awaitable } from '../contracts/environment.js';
import type { ContributionKind } from '../contracts/plugin.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';

/** The operation of a plugin. */
export type PluginPhase =
  | 'load'
  | 'validate'
  | 'requires'
  | 'open'
  | 'create'
  | 'connect'
  | 'publish'
  | 'generate'
  | 'estimate'
  | 'openEncoder'
  | 'export'
  | 'importGguf'
  | 'diagnose'
  | 'plan'
  | 'apply';

/** The contribution that owns the code. */
export interface PluginOwner {
  readonly kind: ContributionKind;
  readonly name: string;
  readonly package: string;
  readonly version: string;
}

/** The owner in words: reward `stuck` (plugin-stuck 1.0.0). */
export function ownerTitle({ kind, name, package: of, version }: PluginOwner): string {
  return `${kind} \`${name}\` (${of} ${version})`;
}

const pending = new Set<string>();

/** Unanswered calls of plugins, in words: "reward `stuck` (plugin-stuck 1.0.0) did not answer in create". */
export function unansweredCalls(): readonly string[] {
  return [...pending].map((call) => call.replace(' failed in ', ' did not answer in '));
}

/**
 * Runs a plugin's code, and wraps its errors once with plugin and phase. AgentgymErrors and interruptions pass through.
 *
 * @throws AgentgymError AG_PLUGIN_FAILED
 */
export async function callPlugin<T>(owner: PluginOwner, phase: PluginPhase, work: () => Awaitable<T>): Promise<T> {
  const failed = `${ownerTitle(owner)} failed in ${phase}`;
  pending.add(failed);
  try {
    return await work();
  } catch (error) {
    if (isAgentgymError(error) || (error instanceof Error && error.name === 'AbortError')) throw error;
    const cause = messageOf(error);
    throw new AgentgymError('AG_PLUGIN_FAILED', {
      message: `${failed}: ${cause}`,
      cause: error,
    });
  } finally {
    pending.delete(failed);
  }
}
