import { Args } from '@oclif/core';

import { BaseCommand } from '../../cli/base-command.js';

/** `agentgym plugins inspect PLUGIN` */
export default class PluginsInspect extends BaseCommand {
  static override summary = 'Show the origin, the contributions and the requirements of a plugin';
  static override examples = [
    '<%= config.bin %> <%= command.id %> env-textcraft',
    '<%= config.bin %> <%= command.id %> env-babyai --json',
  ];
  static override args = {
    plugin: Args.string({ required: true, description: 'Name of the plugin; `agentgym plugins` lists the names' }),
  };

  async run() {
    const { args } = await this.parse(PluginsInspect);
    const { inspectionLines, inspectPlugin } = await import('../../cli/inspect-plugin.js');
    const inspected = await inspectPlugin(args.plugin, this.config, await this.openPluginHost(), this.signal);
    for (const line of inspectionLines(inspected)) this.say(line);
    return inspected;
  }
}
