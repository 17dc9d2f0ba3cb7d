import { BaseCommand } from '../../cli/base-command.js';

/** `agentgym plugins` */
export default class Plugins extends BaseCommand {
  static override summary = 'List plugins: those of the project, linked, installed and built-in';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run() {
    await this.parse(Plugins);
    const { listPlugins, pluginTable } = await import('../../cli/list-plugins.js');
    const plugins = await listPlugins(this.config, process.cwd());
    for (const line of pluginTable(plugins)) this.say(line);
    return { plugins };
  }
}
