// Runs the guides that make a package as a reader does: from the first line, with the installed host and packages from a
// registry. Nothing is prepared, shortened or left out. What a reader types runs in one shell after another, each in the
// folder that the last one ended in.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import { afterEach, describe, expect, inject, it } from 'vitest';

import { repository } from '../architecture/source-files.js';
import { type CodeBlock, codeBlocks, noteOf } from '../docs/code-blocks.js';
import { type ConsoleCommand, consoleCommands } from '../docs/console-commands.js';
import { packageGuides } from '../docs/documents.js';
import { matchesOutput } from '../docs/match-output.js';
import { runCommand } from '../docs/run-command.js';
import { newUser } from './run-agentgym.js';

const MINUTE = 60_000;
/** The machine of the tests may be this much slower than the free cores that the guides speak of. */
const SLOWER = 3;

/** Servers that a page starts in another terminal. */
const servers: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const { pid } of servers.splice(0)) process.kill(-(pid ?? 0), 'SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** The minutes that a guide says its commands take. */
function minutesOf(document: string): number {
  const text = readFileSync(join(repository, document), 'utf8').replaceAll(/\s+/g, ' ');
  const word = /ll commands (?:of this page )?together take about (\w+) minutes/.exec(text)?.[1] ?? '';
  const minutes = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'].indexOf(word);
  if (minutes < 1) throw new Error(`${document} does not say how many minutes its commands take`);
  return minutes;
}

describe('a reader of the guide', () => {
  it.each(packageGuides)('%s', { timeout: 40 * MINUTE }, async (document) => {
    const user = newUser();
    const home = mkdtempSync(join(tmpdir(), 'agentgym-reader-'));
    folders.push(home, dirname(user.data));
    const path = `${inject('installed').programs}${delimiter}${process.env['PATH'] ?? ''}`;
    // npm leaves out development dependencies in production, and colours would be part of what is printed.
    const environment = { ...user.environment, NODE_ENV: '', PATH: path, NO_COLOR: '1' };
    const state = join(home, 'folder');
    let folder = home;
    const started = Date.now();
    const check = async (command: ConsoleCommand) => {
      const { code, printed } = await runCommand(
        { ...command, command: `trap 'pwd > ${state}' EXIT\n${command.command}` },
        folder,
        home,
        environment,
        { seconds: 1200 },
      );
      const where = `${document}:${command.line}: ${command.command}`;
      expect(code, `${where}\n${printed}`).toBe(command.exitCode);
      folder = readFileSync(state, 'utf8').trim();
      // Without output nothing is promised. Other machines train to other numbers.
      const anyNumbers = command.command.startsWith('agentgym train');
      const isRight = command.output.length === 0 || matchesOutput(command.output, printed, { anyNumbers });
      expect(isRight, `${where}\nprinted\n${printed}\nand not what is shown`).toBe(true);
    };
    for (const block of codeBlocks(document)) {
      writeBlock(block, folder);
      if (block.language !== 'console') continue;
      const awaited = noteOf(block, 'serves');
      for (const command of consoleCommands(block)) {
        if (awaited === undefined) await check(command);
        else await serve(command.command, awaited, folder, environment);
      }
    }
    const minutes = (Date.now() - started) / MINUTE;
    expect(minutes, `${document} says ${minutesOf(document)} minutes`).toBeLessThan(SLOWER * minutesOf(document));
  });
});

function writeBlock(block: CodeBlock, folder: string): void {
  const name = noteOf(block, 'file');
  if (name === undefined) return;
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), `${block.text}\n`);
}

/** Starts a command that runs until the end of the page, and waits until it has printed a text. */
async function serve(command: string, awaited: string, cwd: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('bash', ['-c', command], {
    cwd,
    env: { ...process.env, ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  servers.push(child);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await expect.poll(() => printed, { timeout: MINUTE }).toContain(awaited);
}
