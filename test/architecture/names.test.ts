// A name that two modules export is one idea said twice, or two ideas under one word: readers and editors take one for
// the other.
import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { pluginFolders, shown, sourceFiles } from './source-files.js';

/** Names that two modules may have, each with its reason. */
const EXCEPTIONS: Record<string, string> = {
  create: 'what the module of every contribution exports, by contract',
  Finding: "part of the public kits for plugins; advice's own never leaves its folder",
};

const declaration = /^export (?:abstract |async |declare )?(?:class|const|enum|function\*?|interface|let|type) (\w+)/gm;

/** Names that the modules of a folder declare and export, with the modules. */
function exportsBelow(folder: string): [name: string, file: string][] {
  return sourceFiles(folder).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(declaration)].map(([, name]): [string, string] => [name!, shown(file)]),
  );
}

/** A plugin compiles against the contracts and is otherwise by itself, so that it shares names with those alone. */
const packages = ['src', ...pluginFolders().map((folder) => `${folder}/src`)];

// Goes red when a module exports a name that another one of its package, or a contract, exports.
it.each(packages)('no name is exported by two modules: %s', (folder) => {
  const contracts = folder === 'src' ? [] : [...exportsBelow('src/contracts'), ['Recipe', 'src/index.ts'] as const];
  const owners = new Map<string, string[]>();
  for (const [name, file] of [...contracts, ...exportsBelow(folder)]) {
    owners.set(name, [...(owners.get(name) ?? []), file]);
  }
  const shared = [...owners].filter(([name, files]) => new Set(files).size > 1 && !Object.hasOwn(EXCEPTIONS, name));
  expect(Object.fromEntries(shared)).toEqual({});
});
