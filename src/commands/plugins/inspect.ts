import { Args } from '@oclif/core';

import { BaseCommand } from '../../cli/base-command.js';

/** `agentgym plugins inspect PLUGIN` */
export default class PluginsInspect extends BaseCommand {
  static override summary = 'Show where a plugin comes from, what it contributes and what it needs';
  static override examples = [
    '<%= config.bin %> <%= command.id %> env-textcraft',
    '<%= config.bin %> <%= command.id %> env-babyai --json',
  ];
  static override args = { plugin: Args.string({ required: true, description: '`agentgym plugins` lists them' }) };

  async run() {
    const { args } = await this.parse(PluginsInspect);
    const { inspectionLines, inspectPlugin } = await import('../../cli/inspect-plugin.js');
    const inspected = await inspectPlugin(args.plugin, this.config, await this.openPluginHost());
    for (const line of inspectionLines(inspected)) this.say(line);
    return inspected;
  }
}
