import type { Hook } from '@oclif/core';

import { nearestName } from '../config/nearest-name.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/**
 * oclif calls this when no command has the typed name. Words after a command that takes no argument are part of that
 * name: oclif reads `runs list x` as the command `runs:list:x`.
 *
 * @throws AG_COMMAND_UNKNOWN with the nearest command, or AG_COMMAND_USAGE
 */
const commandNotFound: Hook<'command_not_found'> = ({ id, config }) => {
  if (id.startsWith('-')) throw new AgentgymError('AG_COMMAND_USAGE', { message: 'there are flags, but no command' });
  const words = id.split(':');
  const names = config.commandIDs.map((name) => name.replaceAll(':', ' '));
  const near = nearestName(words.slice(0, 2).join(' '), names) ?? nearestName(words[0] ?? '', names);
  const extra = words.slice(near?.split(' ').length);
  if (near !== undefined && extra.length > 0 && words.join(' ').startsWith(`${near} `)) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: `\`agentgym ${near}\` takes no argument \`${extra.join(':')}\``,
      hint: `See \`agentgym ${near} --help\`.`,
    });
  }
  throw new AgentgymError('AG_COMMAND_UNKNOWN', {
    message: `there is no command \`${words.join(' ')}\``,
    hint: near && `Did you mean \`agentgym ${near}\`?`,
  });
};

export default commandNotFound;
