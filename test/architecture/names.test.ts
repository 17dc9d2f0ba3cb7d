// A name that two modules export is one idea written twice, or two ideas with one word. Readers and editors confuse
// them.
import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { libraryFolders, pluginFolders, shown, sourceFiles } from './source-files.js';

/** Names that two modules may have, each with its reason. */
const EXCEPTIONS: Record<string, string> = {
  create: 'what the module of every contribution exports, by contract',
  open: 'what the module of every environment exports, by contract',
  Finding: "part of the public kits for plugins; advice's own never leaves its folder",
};

const declaration = /^export (?:abstract |async |declare )?(?:class|const|enum|function\*?|interface|let|type) (\w+)/gm;

/** Names that the modules of a folder declare and export, with the modules. */
function exportsBelow(folder: string): [name: string, file: string][] {
  return sourceFiles(folder).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(declaration)].map(([, name]): [string, string] => [name!, shown(file)]),
  );
}

/** A plugin compiles only against the contracts, so its names are compared only with theirs. */
const packages = ['src', ...[...libraryFolders(), ...pluginFolders()].map((folder) => `${folder}/src`)];

// Goes red when a module exports a name that another module of its package, or a contract, also exports.
it.each(packages)('no name is exported by two modules: %s', (folder) => {
  const contracts = folder === 'src' ? [] : [...exportsBelow('src/contracts'), ['Recipe', 'src/index.ts'] as const];
  const owners = new Map<string, string[]>();
  for (const [name, file] of [...contracts, ...exportsBelow(folder)]) {
    owners.set(name, [...(owners.get(name) ?? []), file]);
  }
  const shared = [...owners].filter(([name, files]) => new Set(files).size > 1 && !Object.hasOwn(EXCEPTIONS, name));
  expect(Object.fromEntries(shared)).toEqual({});
});
