import { text } from 'node:stream/consumers';

import { readTextFile } from '../files/read-whole-file.js';
import type { Player } from '../contracts/player.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/**
 * A player of actions that were written beforehand, one per line; an empty line is an empty action.
 *
 * @param file `-`: standard input
 * @throws AG_COMMAND_USAGE
 */
export async function readScript(file: string, stdin: NodeJS.ReadableStream) {
  let content: string;
  try {
    content = file === '-' ? await text(stdin) : await readTextFile(file);
  } catch (error) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: `The actions in ${file} cannot be read: ${(error as Error).message}`,
      hint: 'Give a file with one action per line, or `-` for standard input.',
      file,
    });
  }
  const actions = content.replace(/\r?\n$/, '').split(/\r?\n/);
  if (content === '') {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: `There are no actions in ${file}.`,
      hint: 'Write one action per line.',
      file,
    });
  }
  const policy: Player = { name: 'script', act: ({ texts }) => actions[texts.length] ?? '' };
  return { policy, actions: actions.length };
}
