import { BaseCommand } from '../cli/base-command.js';

/** `agentgym version` */
export default class Version extends BaseCommand {
  static override summary = 'Print the version of agentgym and of Node.js';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run() {
    await this.parse(Version);
    const { version, userAgent, platform, arch } = this.config;
    this.say(userAgent);
    return { version, node: process.version, platform, architecture: arch };
  }
}
