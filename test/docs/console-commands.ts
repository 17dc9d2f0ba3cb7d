import { type CodeBlock, noteOf } from './code-blocks.js';

/** A command of a console block, and the output in the document. */
export interface ConsoleCommand {
  readonly document: string;
  readonly line: number;
  /** The text after the `$`, including continued lines. */
  readonly command: string;
  /** Lines shown below it; empty if the document shows no output. */
  readonly output: readonly string[];
  readonly exitCode: number;
  readonly input: string;
  /** The command is in the document, not in a note. */
  readonly shown: boolean;
}

/** The commands of a block, after the commands that must run before it. */
export function consoleCommands(block: CodeBlock): ConsoleCommand[] {
  const { document, notes } = block;
  const common = { document, exitCode: 0, input: '', output: [] };
  const before = notes.filter(({ name }) => name === 'first');
  const commands: ConsoleCommand[] = before.map(({ value }) => ({
    ...common,
    line: block.line,
    command: value,
    shown: false,
  }));
  let output: string[] = [];
  let continued = false;
  block.text.split('\n').forEach((text, i) => {
    const last = commands.at(-1);
    if (text.startsWith('$ ')) {
      output = [];
      commands.push({ ...common, line: block.line + 1 + i, command: text.slice(2), output, shown: true });
    } else if (continued && last !== undefined) {
      commands[commands.length - 1] = { ...last, command: `${last.command}\n${text}` };
    } else {
      if (last?.shown !== true) throw new Error(`${document}:${block.line + 1 + i}: output without a command`);
      output.push(text);
    }
    continued = text.endsWith('\\') && (continued || text.startsWith('$ '));
  });
  const exits = Number(noteOf(block, 'exits') ?? 0);
  const input = (noteOf(block, 'input') ?? '').replaceAll('\\n', '\n');
  return commands.map((one, i) => ({ ...one, input, exitCode: i === commands.length - 1 ? exits : 0 }));
}
