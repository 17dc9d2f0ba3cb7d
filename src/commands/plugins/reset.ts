import { Flags } from '@oclif/core';

import { confirmOnTerminal } from '../../cli/confirm.js';
import { PluginsCommand } from '../../cli/plugins-command.js';
import { AgentgymError } from '../../errors/agentgym-error.js';

/** `agentgym plugins reset` */
export default class PluginsReset extends PluginsCommand {
  static override summary = 'Remove all installed and linked plugins';
  static override examples = ['<%= config.bin %> <%= command.id %> --yes'];
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'Do not ask' }) };

  async run() {
    const { flags } = await this.parse(PluginsReset);
    const { resetPlugins } = await import('../../plugins/store/uninstall-plugin.js');
    const question = `Remove all plugins in ${this.config.dataDir}?`;
    if (!flags.yes && (this.jsonEnabled() || !(await confirmOnTerminal(question, this.signal)))) {
      throw new AgentgymError('AG_COMMAND_USAGE', {
        message: 'nothing was removed: the command removes all plugins and needs a confirmation',
        hint: 'Confirm it with `agentgym plugins reset --yes`.',
      });
    }
    const removed = await resetPlugins(await this.store());
    this.say(removed.length === 0 ? 'Nothing was installed.' : `Removed ${removed.map(({ name }) => name).join(', ')}`);
    return { removed };
  }
}
