// Every command that a document shows is run, in order, in a folder of the document's own. Trainings and ablations do less (shim/cut-settings.js).
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { repository } from '../architecture/source-files.js';
import { type CodeBlock, codeBlocks, noteOf } from './code-blocks.js';
import { type ConsoleCommand, consoleCommands } from './console-commands.js';
import { documents, registryDocuments } from './documents.js';
import { matchesOutput } from './match-output.js';
import { runCommand } from './run-command.js';
import { skippedCommands } from './skipped-commands.js';

const home = mkdtempSync(join(tmpdir(), 'agentgym-docs-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const blocks = documents.map((document) => ({ document, blocks: codeBlocks(document) }));
const withCommands = blocks.filter(
  (page) => !registryDocuments.includes(page.document) && page.blocks.some(({ language }) => language === 'console'),
);

describe('commands of documents', () => {
  // A few at a time, each with data of its own (maxConcurrency in vitest.config.ts).
  it.concurrent.each(withCommands)('$document', { timeout: 600_000 }, async (page) => {
    const own = mkdtempSync(join(home, 'page-'));
    const folder = join(own, 'work');
    mkdirSync(folder);
    // Documents speak of a checkout's recipes by their path.
    symlinkSync(join(repository, 'recipes'), join(folder, 'recipes'));
    // What `npm install` would have put there: the CLI, TypeScript and vitest.
    if (page.document.startsWith('docs/guides/')) {
      symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
    }
    for (const block of page.blocks) {
      writeBlock(block, folder);
      if (block.language !== 'console') continue;
      for (const command of consoleCommands(block)) {
        if (isSkipped(command)) continue;
        await check(command, folder, own);
      }
    }
  });

  it('are all run but those that are named, each with its reason', () => {
    const shown = blocks.flatMap((page) =>
      page.blocks.filter(({ language }) => language === 'console').flatMap(consoleCommands),
    );
    const idle = skippedCommands.filter((skipped) => !shown.some((command) => isThis(skipped, command)));
    expect(idle).toEqual([]);
    expect(skippedCommands.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });
});

/** A block that is said to be a file is there for the commands below it. */
function writeBlock(block: CodeBlock, folder: string): void {
  const copied = noteOf(block, 'copy');
  if (copied !== undefined) cpSync(join(repository, 'docs/guides/examples', copied), folder, { recursive: true });
  const name = noteOf(block, 'file');
  if (name === undefined) return;
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), `${block.text}\n`);
}

async function check(command: ConsoleCommand, folder: string, home: string): Promise<void> {
  const where = `${command.document}:${command.line}: ${command.command}`;
  const { code, printed, cut } = await runCommand(command, folder, home);
  const told = cut.map((words) => `run as agentgym ${words.join(' ')}\n`).join('');
  expect(code, `${where}\n${told}${printed}`).toBe(command.exitCode);
  if (command.output.length === 0) return;
  const right = matchesOutput(command.output, printed, { anyNumbers: cut.length > 0 });
  expect(right, `${where}\n${told}printed\n${printed}\nand not what is shown`).toBe(true);
}

const isSkipped = (command: ConsoleCommand) => skippedCommands.some((skipped) => isThis(skipped, command));

function isThis(skipped: { readonly document: string; readonly command: string }, shown: ConsoleCommand): boolean {
  return skipped.document === shown.document && shown.command.replace(/\s+#.*$/, '') === skipped.command;
}
