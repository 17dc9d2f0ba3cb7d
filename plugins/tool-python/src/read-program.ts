import type { ToolReading } from '@agentgym/cli';

/** How a program stands in a text: between tags, or in a block of Markdown. */
const places = [
  { opening: '<python>', closing: '</python>' },
  { opening: '```python\n', closing: '```' },
];

/** The program that a text ends with. The text before it is the agent's thought. Undefined if there is none. */
export function readProgram(text: string, maxCharacters: number): ToolReading | undefined {
  for (const { opening, closing } of places) {
    const start = text.indexOf(opening);
    if (start === -1) continue;
    const inside = start + opening.length;
    const end = text.indexOf(closing, inside);
    if (end === -1) return { malformed: `${closing} is missing` };
    if (text.slice(end + closing.length).trim() !== '') return { malformed: `nothing may follow ${closing}` };
    return checkProgram(text.slice(inside, end), maxCharacters);
  }
  return undefined;
}

export function checkProgram(program: unknown, maxCharacters: number): ToolReading {
  if (typeof program !== 'string') return { malformed: 'it takes a string "program"' };
  if (program.length > maxCharacters) {
    return { malformed: `the program has ${program.length} characters, more than ${maxCharacters}` };
  }
  // No argument of a program can hold it.
  if (program.includes('\0')) return { malformed: 'the program contains a null character' };
  return { call: program };
}
