import { Args } from '@oclif/core';

import { allowScriptsFlag, PluginsCommand } from '../../cli/plugins-command.js';

/** `agentgym plugins install PLUGIN` */
export default class PluginsInstall extends PluginsCommand {
  static override summary = 'Install a plugin: by name, or from a folder, a tarball or a git repository';
  static override description =
    'A short name such as env-babyai means @agentgym/plugin-env-babyai. A folder is packed and copied; `agentgym plugins link` uses a folder in ' +
    'place. The plugin is checked before any of its code runs. Its install scripts are listed and not run. If the command fails or is interrupted, ' +
    'nothing changes.';
  static override aliases = ['plugins:add'];
  static override examples = [
    '<%= config.bin %> <%= command.id %> env-babyai',
    '<%= config.bin %> <%= command.id %> @somebody/agentgym-plugin-env-chess@^2',
    '<%= config.bin %> <%= command.id %> ./my-plugin',
    '<%= config.bin %> <%= command.id %> downloads/env-chess-1.0.0.tgz',
    '<%= config.bin %> <%= command.id %> "https://github.com/somebody/env-chess.git#v1.0.0"',
  ];
  static override args = {
    plugin: Args.string({ required: true, description: 'A package name with or without @RANGE, a path, or a URL' }),
  };
  static override flags = { 'allow-scripts': allowScriptsFlag };

  async run() {
    const { args, flags } = await this.parse(PluginsInstall);
    const { installPlugin } = await import('../../plugins/store/install-plugin.js');
    const { installedLines } = await import('../../cli/plugin-lines.js');
    const installed = await installPlugin(await this.store(), {
      specifier: args.plugin,
      cwd: process.cwd(),
      claimed: () => this.claimed(),
      allowScripts: (scripts) => this.allowScripts(scripts, flags['allow-scripts']),
    });
    for (const line of installedLines(installed)) this.say(line);
    return installed;
  }
}
