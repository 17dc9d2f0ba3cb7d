import { Flags } from '@oclif/core';

import type { ClaimedName } from '../plugins/store/accept-plugin.js';
import type { InstallScripts } from '../plugins/store/install-scripts.js';
import type { PluginStore } from '../plugins/store/plugin-store.js';
import { BaseCommand } from './base-command.js';
import { confirmOnTerminal } from './confirm.js';

/** Flag of commands that install something. */
export const allowScriptsFlag = Flags.boolean({
  description: 'Run the install scripts of the plugin and its dependencies; by default they are only listed',
});

/**
 * A command that changes the installed plugins. Even after a failure, the result is either the old state or the new
 * one.
 */
export abstract class PluginsCommand extends BaseCommand {
  static override interruption = {
    said: 'Interrupted: the installed plugins do not change.',
    hint: 'Nothing was changed; run the same command again.',
  };

  protected async store(): Promise<PluginStore> {
    const { pluginStoreOf } = await import('./plugin-store-of.js');
    return pluginStoreOf(this.config, this.signal, (line) => this.note(line));
  }

  /** The contributions of all plugins in use. */
  protected async claimed(): Promise<readonly ClaimedName[]> {
    const { allContributions } = await import('../plugins/open-plugin-host.js');
    return allContributions(await this.openPluginHost());
  }

  /** Announces install scripts, and returns whether they may run. */
  protected async allowScripts(scripts: readonly InstallScripts[], flag: boolean): Promise<boolean> {
    for (const { package: name, version, commands } of scripts) {
      this.note(`${name} ${version} wants to run these commands with all your rights: ${commands.join('; ')}`);
    }
    if (flag) return true;
    if (!this.jsonEnabled() && (await confirmOnTerminal('Run this?', this.signal))) return true;
    this.note('They were not run. If the plugin does not work, repeat the command with `--allow-scripts`.');
    return false;
  }
}
