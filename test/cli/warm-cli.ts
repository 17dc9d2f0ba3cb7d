// The command line for tests in which its process is not the point. A process of its own for each command loads and
// compiles 600 modules, which takes most of its time. Not for tests of signals, of exits, of plugins that change or break,
// or of the memory or the time of a process: `runCli` is for those.
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { bin, type CliResult, type CliSettings, freshDataFolders } from './run-cli.js';

const program = fileURLToPath(new URL('warm-process.js', import.meta.url));
const mark = '\u0001agentgym-ended ';

/** What commands leave behind ends with their process, after so many of them. */
const MOST_COMMANDS = 40;

interface WarmProcess {
  readonly child: ChildProcess;
  commands: number;
}

/** Processes without a command. They end with this one. */
const idle: WarmProcess[] = [];

/** Runs the command line as `runCli` does, in a process that ran other commands and will run more. */
export async function runWarm(
  args: readonly string[],
  settings: Omit<CliSettings, 'nodeFlags'> = {},
): Promise<CliResult> {
  const folders = freshDataFolders();
  const environment = { ...process.env, ...folders, NODE_ENV: 'production', ...settings.environment };
  const warm = idle.pop() ?? start();
  try {
    return await run(warm, { args, cwd: settings.cwd ?? process.cwd(), environment });
  } finally {
    rmSync(folders.AGENTGYM_DATA_DIR, { recursive: true, force: true });
  }
}

function start(): WarmProcess {
  const child = spawn(process.execPath, [program, bin, mark], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  // Neither it nor its pipes keep this process alive.
  child.unref();
  for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
  return { child, commands: 0 };
}

function run(warm: WarmProcess, command: object): Promise<CliResult> {
  const { child } = warm;
  const outputs = [child.stdout, child.stderr] as Readable[];
  const texts = ['', ''];
  return new Promise((resolve, reject) => {
    const listeners = outputs.map((_, index) => (text: string) => {
      texts[index] += text;
      // The code may come later than the mark.
      if (!texts.every((each) => each.includes(mark) && each.endsWith('\n'))) return;
      const [stdout, code] = texts[0]!.split(mark) as [string, string];
      settle({ code: Number(code), stdout, stderr: texts[1]!.split(mark)[0]! });
      warm.commands += 1;
      if (warm.commands < MOST_COMMANDS) idle.push(warm);
      else (child.stdio[3] as Writable).end();
    });
    // A command may end its process.
    const closed = (code: number | null) => settle({ code, stdout: texts[0]!, stderr: texts[1]! });
    const settle = (result: CliResult) => {
      for (const [index, output] of outputs.entries()) output.off('data', listeners[index]!);
      child.off('close', closed).off('error', reject);
      resolve(result);
    };
    for (const [index, output] of outputs.entries()) output.setEncoding('utf8').on('data', listeners[index]!);
    child.on('close', closed).on('error', reject);
    (child.stdio[3] as Writable).write(`${JSON.stringify(command)}\n`);
  });
}
