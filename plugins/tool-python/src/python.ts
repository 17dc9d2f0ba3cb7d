import type { EnvironmentHost, SandboxResult, Tool } from '@agentgym/cli';

import type { Options } from './options.js';
import { checkProgram, readProgram } from './read-program.js';

/** Characters of an error that are shown: the end of a traceback says what went wrong. */
const shownError = 1000;

/** Runs programs of an episode one after the other, each in a new process. Files stay until the episode ends. */
export async function create(
  { maxCharacters, megabytes, python, read, seconds }: Options,
  host: EnvironmentHost,
): Promise<Tool> {
  const sandbox = { megabytes, read, env: { PYTHONHASHSEED: '0' } };
  // A machine without this Python is better found now than in the middle of an episode.
  const tried = await host.openSandbox(sandbox);
  const { code, stderr } = await tried.run(python, ['--version']);
  await tried.close();
  if (code !== 0) throw new Error(`${python} does not run in the sandbox: ${stderr.trim()}`);
  return {
    sandbox,
    instructions:
      'To run a program in Python, end your text with <python>PROGRAM</python>. You see what it prints. Its files stay.',
    example: '<python>print(2 * (3 + 4))</python>',
    parse: (text) => readProgram(text, maxCharacters),
    function: {
      description: 'Runs a program in Python, and answers with what it prints. Its files stay.',
      parameters: {
        type: 'object',
        properties: { program: { type: 'string', description: 'For example print(2 * (3 + 4))' } },
        required: ['program'],
      },
      read: ({ program }) => checkProgram(program, maxCharacters),
    },
    begin: ({ sandbox: own }) => ({
      async run(call, { signal }) {
        const result = await own!.run(python, ['-B', '-c', call as string], { seconds, signal });
        return { output: shown(result, seconds), failed: result.code !== 0 };
      },
    }),
  };
}

function shown({ code, limit, stderr, stdout }: SandboxResult, seconds: number): string {
  const printed = stdout.trimEnd();
  if (code === 0) return printed === '' ? 'It printed nothing.' : printed;
  const endings = {
    seconds: `it was ended after ${seconds} s`,
    memory: 'it took too much memory',
    processes: 'it started too many processes',
    output: 'it printed too much',
    files: 'it made too many files',
  };
  const reason = limit === undefined ? stderr.trim().slice(-shownError) : `error: ${endings[limit]}`;
  return [printed, reason || 'error: it was killed'].filter((part) => part !== '').join('\n');
}
