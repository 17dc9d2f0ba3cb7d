import type { Player } from '../contracts/player.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { displayWidth, visibleText, wrapText } from '../reporting/display-text.js';
import { readLines, type LineReader } from './read-lines.js';

/** The most characters of legal actions that each turn shows. */
const offered = 240;

const HINT = '(/help shows the rules and the game so far, /actions what is legal now, /quit leaves)';

/** The legal actions in one line, or their number if they are too long. Nothing if the observation lists them. */
function offer(actions: readonly string[], observation: string): string | undefined {
  if (actions.every((action) => observation.includes(action))) return undefined;
  const line = `legal: ${actions.join(', ')}`;
  if (line.length <= offered) return line;
  return `legal: ${actions.length} actions; /actions lists them`;
}

/** A person who plays. */
export interface HumanPlayer extends Player {
  /** Whether the person left the game before its end, by `/quit` or by closing the input of a terminal. */
  readonly hasLeft: () => boolean;
}

/**
 * A person at the terminal, who sees each observation and types each action. Prompts go to standard error, so that
 * `--json` stays clean.
 */
export function humanPlayer(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): HumanPlayer {
  // One reader for all turns, so that input typed or piped ahead is not lost between turns.
  let reader: LineReader | undefined;
  let hasLeft = false;
  const tell = (text: string) => {
    const { columns = 0 } = output as { columns?: number };
    // Lines that fit keep their spaces: they may be a map.
    const lines = visibleText(text)
      .split('\n')
      .flatMap((line) => (columns > 0 && displayWidth(line) > columns ? wrapText(line, columns) : [line]));
    output.write(`${lines.join('\n')}\n`);
  };
  return {
    name: 'human',
    hasLeft: () => hasLeft,
    async act({ task, system, observations, texts, admissible }, signal) {
      const atTerminal = 'isTTY' in input && input.isTTY === true;
      reader ??= readLines(input, output, atTerminal);
      const lines = reader;
      const observation = observations.at(-1) ?? '';
      if (texts.length === 0) tell(`Task ${task}\n`);
      if (texts.length === 0 && system !== '') tell(`${system}\n`);
      if (texts.length === 0 && atTerminal) tell(`${HINT}\n`);
      tell(observation);
      const legal = atTerminal ? await admissible() : undefined;
      const offering = legal && offer(legal, observation);
      if (offering !== undefined) tell(offering);
      const leave = () => lines.close();
      signal.addEventListener('abort', leave, { once: true });
      let line: string | undefined;
      for (;;) {
        line = await lines.next('> ');
        // Only a person uses these commands: in a file every line is an action.
        if (!atTerminal || line === undefined) break;
        if (line === '/actions') tell(legal?.join('\n') ?? 'This environment does not list its legal actions.');
        else if (line === '/help') {
          tell(system);
          observations.forEach((seen, turn) => tell(`${seen}${turn < texts.length ? `\n> ${texts[turn]}` : ''}`));
          tell(HINT);
        } else if (line.startsWith('/') && line !== '/quit' && legal?.includes(line) === false) {
          // A mistyped command must not cost a turn.
          tell(HINT);
        } else break;
      }
      signal.removeEventListener('abort', leave);
      if (line !== undefined && !(atTerminal && line === '/quit')) return line;
      // Ends the line of the prompt.
      output.write('\n');
      hasLeft = atTerminal && !signal.aborted;
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
