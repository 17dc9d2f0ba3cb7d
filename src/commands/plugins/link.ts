import { Args, Flags } from '@oclif/core';

import { PluginsCommand } from '../../cli/plugins-command.js';

/** `agentgym plugins link [DIR]` */
export default class PluginsLink extends PluginsCommand {
  static override summary = 'Use a plugin from its folder: your next build is used at once';
  static override description = 'Needs no network. A link replaces an installed or built-in plugin of the same name.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> .',
    '<%= config.bin %> <%= command.id %> ../env-mine --install',
  ];
  static override args = {
    folder: Args.string({ default: '.', description: 'Folder of the plugin, which must be built' }),
  };
  static override flags = {
    install: Flags.boolean({ description: 'Run `npm install` in the folder first, including its scripts' }),
  };

  async run() {
    const { args, flags } = await this.parse(PluginsLink);
    const { linkPlugin } = await import('../../plugins/store/link-plugin.js');
    const { installDependencies } = await import('../../plugins/store/install-dependencies.js');
    const { installedLines } = await import('../../cli/plugin-lines.js');
    if (flags.install) await installDependencies(args.folder, await this.store());
    const linked = await linkPlugin(await this.store(), { folder: args.folder, claimed: () => this.claimed() });
    for (const line of installedLines(linked)) this.say(line);
    return linked;
  }
}
