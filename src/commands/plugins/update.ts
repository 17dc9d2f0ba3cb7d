import { Args } from '@oclif/core';

import { allowScriptsFlag, PluginsCommand } from '../../cli/plugins-command.js';

/** `agentgym plugins update [PLUGIN]` */
export default class PluginsUpdate extends PluginsCommand {
  static override summary = 'Update installed plugins to the newest version of their range, branch, folder or tarball';
  static override description = 'Updates all of them, or none if one is refused.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> env-babyai'];
  static override args = { plugin: Args.string({ description: 'Plugin to update; default: all' }) };
  static override flags = { 'allow-scripts': allowScriptsFlag };

  async run() {
    const { args, flags } = await this.parse(PluginsUpdate);
    const { updatePlugins } = await import('../../plugins/store/update-plugins.js');
    const { updatedLines } = await import('../../cli/plugin-lines.js');
    const plugins = await updatePlugins(await this.store(), {
      names: args.plugin === undefined ? [] : [args.plugin],
      cwd: process.cwd(),
      claimed: () => this.claimed(),
      allowScripts: (scripts) => this.allowScripts(scripts, flags['allow-scripts']),
    });
    for (const line of updatedLines(plugins)) this.say(line);
    return { plugins };
  }
}
