import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import ts from 'typescript';

import { repository } from '../architecture/source-files.js';
import { codeBlocks, noteOf } from '../docs/code-blocks.js';
import { findProcesses } from '../kill/find-processes.js';

const example = join(repository, 'docs/guides/examples/slow-worlds');

/** A new folder with the built package of the guide on slow worlds and the guide's recipe. */
export function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-worlds-'));
  cpSync(join(repository, 'templates/environment/_package.json'), join(folder, 'package.json'));
  cpSync(join(example, 'programs'), join(folder, 'programs'), { recursive: true });
  mkdirSync(join(folder, 'dist'));
  for (const name of readdirSync(join(example, 'src'))) {
    const text = ts.transpile(readFileSync(join(example, 'src', name), 'utf8'), {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
    });
    writeFileSync(join(folder, 'dist', name.replace(/\.ts$/, '.js')), text);
  }
  const recipe = codeBlocks('docs/guides/slow-and-shared-worlds.md').find(
    (block) => noteOf(block, 'file') === 'recipe.yaml',
  );
  if (recipe === undefined) throw new Error('the guide has no recipe.yaml');
  writeFileSync(join(folder, 'recipe.yaml'), recipe.text);
  return folder;
}

/** Removes the folder, and kills all its programs that a failed test left running. */
export function removeProject(folder: string): void {
  const programs = readdirSync(join(folder, 'programs')).map((name) => join(folder, 'programs', name));
  for (const pid of programs.flatMap(findProcesses)) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true });
}
