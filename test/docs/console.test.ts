// Runs every command that a document shows, in order, in a separate folder for each document. Trainings and ablations
// do less (shim/cut-settings.js).
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { repository } from '../architecture/source-files.js';
import { isLong } from '../long.js';
import { type CodeBlock, codeBlocks, noteOf } from './code-blocks.js';
import { type ConsoleCommand, consoleCommands } from './console-commands.js';
import { documents, packageGuides, registryDocuments } from './documents.js';
import { matchesOutput } from './match-output.js';
import { type CommandResult, runCommand } from './run-command.js';
import { skippedCommands } from './skipped-commands.js';

const home = mkdtempSync(join(tmpdir(), 'agentgym-docs-'));
// The runs of all pages.
afterAll(() => rmSync(home, { recursive: true, force: true }), 60_000);

const blocks = documents.map((document) => ({ document, blocks: codeBlocks(document) }));
const elsewhere = [...registryDocuments, ...packageGuides];
const withCommands = blocks.filter(
  (page) => !elsewhere.includes(page.document) && page.blocks.some(({ language }) => language === 'console'),
);

/**
 * Documents whose commands are run in long tests only: those that report trainings, and those with the most trainings
 * whose commands have tests of their own in test/cli.
 */
const long =
  /^((recipes|docs\/results)\/|docs\/(ablations|advice|demonstrations|exports|plugins|rewards|guides\/(bring-a-model|curricula|getting-started|reading-a-report|recipes|several-environments|tracking|troubleshooting))\.md$)/;
const played = withCommands.filter(({ document }) => isLong || !long.test(document));

describe('commands of documents', () => {
  // A few documents run at a time, each with separate data (maxConcurrency in vitest.config.ts).
  it.concurrent.each(played)('$document', { timeout: 600_000 }, async (page) => {
    const [own, folder] = newFolder();
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

/** A separate home for data, and a folder in it in which commands run. */
function newFolder(): [own: string, folder: string] {
  const own = mkdtempSync(join(home, 'page-'));
  const folder = join(own, 'work');
  mkdirSync(folder);
  // Documents name recipes of a checkout by their path.
  symlinkSync(join(repository, 'recipes'), join(folder, 'recipes'));
  return [own, folder];
}

/** Writes a block with the name of a file, for the commands below it. */
function writeBlock(block: CodeBlock, folder: string): void {
  const name = noteOf(block, 'file');
  if (name === undefined) return;
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), `${block.text}\n`);
}

async function check(command: ConsoleCommand, folder: string, home: string): Promise<void> {
  const where = `${command.document}:${command.line}: ${command.command}`;
  const isShared = isAlikeEverywhere(command) && !readdirSync(folder).some((name) => PROJECT.includes(name));
  const { code, printed, cut } = await (isShared ? copyRun(command, folder) : runCommand(command, folder, home));
  const told = cut.map((words) => `run as agentgym ${words.join(' ')}\n`).join('');
  expect(code, `${where}\n${told}${printed}`).toBe(command.exitCode);
  if (command.output.length === 0) return;
  const right = matchesOutput(command.output, printed, { anyNumbers: cut.length > 0 });
  expect(right, `${where}\n${told}printed\n${printed}\nand not what is shown`).toBe(true);
}

/** Files that bring plugins or a recipe of the page's own. */
const PROJECT = ['package.json', 'agentgym.config.ts'];

/**
 * Trainings and ablations of the quickstart, and commands that print what they find out about it or the machine. One that
 * names its folder is made where the page needs it.
 */
const isAlikeEverywhere = (command: ConsoleCommand) =>
  /^agentgym (train|ablate \w+ --recipe|advise) quickstart\b(?!.* --output )|^agentgym doctor$/.test(
    withoutComment(command),
  );

/** Results and folders of these commands, by command: many pages show the same ones. */
const runs = new Map<string, Promise<{ readonly result: CommandResult; readonly folder: string }>>();

/** Runs it in a separate folder, unless another page did, and copies the runs to the folder of the page. */
async function copyRun(command: ConsoleCommand, folder: string): Promise<CommandResult> {
  const run = async () => {
    const [own, made] = newFolder();
    return { result: await runCommand(command, made, own), folder: made };
  };
  const key = withoutComment(command);
  const running = runs.get(key) ?? run();
  runs.set(key, running);
  const made = await running;
  const from = join(made.folder, 'runs');
  if (existsSync(from)) cpSync(from, join(folder, 'runs'), { recursive: true });
  return made.result;
}

const isSkipped = (command: ConsoleCommand) => skippedCommands.some((skipped) => isThis(skipped, command));

function isThis(skipped: { readonly document: string; readonly command: string }, shown: ConsoleCommand): boolean {
  return skipped.document === shown.document && withoutComment(shown) === skipped.command;
}

const withoutComment = ({ command }: ConsoleCommand) => command.replace(/\s+#.*$/, '');
