import { Args } from '@oclif/core';

import { PluginsCommand } from '../../cli/plugins-command.js';

/** `agentgym plugins uninstall PLUGIN` */
export default class PluginsUninstall extends PluginsCommand {
  static override summary = 'Remove an installed or linked plugin';
  static override description = 'Needs no network. The folder of a linked plugin stays.';
  static override aliases = ['plugins:unlink', 'plugins:remove'];
  static override examples = [
    '<%= config.bin %> <%= command.id %> env-babyai',
    '<%= config.bin %> plugins unlink ../env-mine',
  ];
  static override args = {
    plugin: Args.string({ required: true, description: 'Name of the plugin, or the folder of a link' }),
  };

  async run() {
    const { args } = await this.parse(PluginsUninstall);
    const { uninstallPlugin } = await import('../../plugins/store/uninstall-plugin.js');
    const removed = await uninstallPlugin(await this.store(), { name: args.plugin, cwd: process.cwd() });
    this.say(removed.type === 'link' ? `Unlinked ${removed.name} (${removed.root})` : `Uninstalled ${removed.name}`);
    return removed;
  }
}
