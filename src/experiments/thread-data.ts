import type { EnvironmentHost } from '../contracts/host.js';
import type { JsonObject } from '../contracts/json.js';
import type { PluginOwner } from '../plugins/call-plugin.js';
import type { SandboxKind } from '../sandbox/choose-sandbox.js';
import type { WorldSettings } from '../rollout/local-world.js';

/** The data for a thread to open an environment. */
export interface ThreadData {
  readonly owner: PluginOwner;
  /** URL of the plugin's entry. */
  readonly entry: string;
  /** All options of the environment. */
  readonly options: JsonObject;
  readonly limits: Pick<WorldSettings, 'milliseconds' | 'observationCharacters'>;
  readonly title: string;
  /** The CLI's cache folder. */
  readonly cacheDirectory: string;
  /** What the environment requires. */
  readonly found: EnvironmentHost['found'];
  /** How programs of an agent are kept apart. */
  readonly sandbox: SandboxKind | undefined;
}
