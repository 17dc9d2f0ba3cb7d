/**
 * Checks that another engine can be added below policy-transformer without a change above: what one engine needs is in
 * its executor and its lowerings. Numbers such as `rowRules` have no words to look for, so generator.test.ts runs an
 * executor with other rules.
 */
import { readFileSync } from 'node:fs';

import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import { readImports } from './read-imports.js';
import { shown, sourceFiles } from './source-files.js';

const ROOT = 'plugins/policy-transformer/src';
const files = sourceFiles(ROOT);
const inside = (file: string) => shown(file).slice(ROOT.length + 1);
const folderOf = (path: string) => path.split('/')[0]!;

/** Imports of one file of the package by another, as paths inside it. */
const links = files.flatMap((file) =>
  readImports(file).flatMap(({ target }) => (target === undefined ? [] : [{ from: inside(file), to: inside(target) }])),
);
const unwanted = (isWanted: (link: { from: string; to: string }) => boolean) =>
  links.filter((link) => !isWanted(link)).map(({ from, to }) => `${from} -> ${to}`);

describe('policy-transformer', () => {
  // Goes red when a generator or an optimizer reads the arrays of a state.
  it('reaches the memory of state in executors only', () => {
    const isMemory = (path: string) => /^executors\/host-/.test(path);
    expect(links.filter(({ to }) => isMemory(to)).length).toBeGreaterThan(2);
    expect(unwanted(({ from, to }) => !isMemory(to) || folderOf(from) === 'executors')).toEqual([]);
  });

  it('lowers in executors only, and each backend without the others', () => {
    const backend = (path: string) => /^lowering\/([^/]+)\//.exec(path)?.[1];
    expect(links.filter(({ to }) => backend(to) !== undefined).length).toBeGreaterThan(10);
    expect(
      unwanted(({ from, to }) => {
        if (folderOf(to) !== 'lowering' || folderOf(from) === 'executors') return true;
        return folderOf(from) === 'lowering' && (backend(to) === undefined || backend(to) === backend(from));
      }),
    ).toEqual([]);
  });

  // `policy` chooses the executor and says which engines it found. Options and remedies are what a user can ask for.
  it('names no engine outside of executors, lowerings and the policy itself', () => {
    const namesEngine = (file: string): string[] => {
      const found: string[] = [];
      const visit = (node: ts.Node): void => {
        const isName = ts.isIdentifier(node) || ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node);
        if (isName && /onnx|tensorflow/i.test(node.text)) found.push(`${inside(file)}: ${node.text}`);
        ts.forEachChild(node, visit);
      };
      visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
      return found;
    };
    const knows = ['executors', 'lowering', 'policy', 'options.ts', 'remedies.ts'];
    const [knowing, others] = [true, false].map((does) =>
      files.filter((file) => knows.includes(folderOf(inside(file))) === does).flatMap(namesEngine),
    );
    expect(knowing!.length).toBeGreaterThan(10);
    expect(others).toEqual([]);
  });
});
