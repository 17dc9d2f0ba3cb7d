import { createInterface, type Interface } from 'node:readline';

import type { Player } from '../contracts/player.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { visibleText } from '../reporting/display-text.js';

/** The most characters of legal actions that each turn shows. */
const offered = 240;

/** The legal actions in one line, or their number if they are too long. */
function offer(actions: readonly string[]): string {
  const line = `legal: ${actions.join(', ')}`;
  if (line.length <= offered) return line;
  return `legal: ${actions.length} actions; /actions lists them`;
}

/**
 * A person at the terminal, who sees each observation and types each action. Prompts go to standard error, so that
 * `--json` stays clean.
 */
export function humanPlayer(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Player {
  // One reader for all turns, so that input typed or piped ahead is not lost between turns.
  let lines: AsyncIterator<string> | undefined;
  let reader: Interface | undefined;
  return {
    name: 'human',
    async act({ task, system, observations, texts, admissible }, signal) {
      if (reader === undefined) {
        reader = createInterface({ input, output });
        lines = reader[Symbol.asyncIterator]();
      }
      const atTerminal = 'isTTY' in input && input.isTTY === true;
      const tell = (text: string) => void output.write(`${visibleText(text)}\n`);
      if (texts.length === 0) tell(`Task ${task}\n`);
      if (texts.length === 0 && system !== '') tell(`${system}\n`);
      if (texts.length === 0 && atTerminal) {
        tell('(/help shows the rules and the game so far, /actions what is legal now, /quit leaves)\n');
      }
      tell(observations.at(-1) ?? '');
      const legal = atTerminal ? await admissible() : undefined;
      if (legal !== undefined) tell(offer(legal));
      const leave = () => reader?.close();
      signal.addEventListener('abort', leave, { once: true });
      reader.setPrompt('> ');
      let line: IteratorResult<string> | undefined;
      for (;;) {
        reader.prompt();
        line = await lines?.next();
        // Only a person uses these commands: in a file every line is an action.
        if (!atTerminal || line?.done !== false) break;
        if (line.value === '/actions') tell(legal?.join('\n') ?? 'This environment does not list its legal actions.');
        else if (line.value === '/help') {
          tell(system);
          observations.forEach((observation, turn) =>
            tell(`${observation}${turn < texts.length ? `\n> ${texts[turn]}` : ''}`),
          );
        } else break;
      }
      signal.removeEventListener('abort', leave);
      const isQuit = atTerminal && line?.done === false && line.value === '/quit';
      if (line?.done === false && !isQuit) return line.value;
      // Ends the line of the prompt.
      output.write('\n');
      if (signal.aborted || atTerminal) {
        throw new AgentgymError('AG_INTERRUPTED', {
          message: 'The game was stopped before its end.',
          hint: 'Play it again with the same command.',
        });
      }
      throw new AgentgymError('AG_COMMAND_USAGE', {
        message: `Standard input ended after ${texts.length} actions, before the end of the game.`,
        hint: 'Give one line per turn, or play on a terminal.',
      });
    },
  };
}
