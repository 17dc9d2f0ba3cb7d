import { existsSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';

import { readWholeFileSync } from '../files/read-whole-file.js';

/** An import that remains in the built code. */
export interface BuiltImport {
  /** The file that imports. */
  readonly file: string;
  readonly specifier: string;
}

/** The files that an entry imports within its package, and their imports from outside. */
export interface BuiltGraph {
  readonly files: readonly string[];
  readonly outside: readonly BuiltImport[];
  /** Relative imports of files that do not exist. */
  readonly lost: readonly BuiltImport[];
}

const comments = /\/\*[^]*?\*\/|(?<=^|[\s;{}()])\/\/[^\n]*/g;
const patterns = [
  /(?:^|[\s;}])import\s*(?:[\w$*{}\s,]+?\s*from\s*)?["']([^"'\n]+)["']/g,
  /(?:^|[\s;}])export\s*(?:\*(?:\s*as\s+[\w$]+)?|\{[^}]*\})\s*from\s*["']([^"'\n]+)["']/g,
  /\b(?:import|require)\s*\(\s*["']([^"'\n]+)["']\s*[,)]/g,
];

/** The imports of a built file. Imports with a computed name are not found. */
function importsOf(file: string): readonly string[] {
  const text = readWholeFileSync(file).toString().replace(comments, '');
  return [...new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] as string)))];
}

/** Follows relative imports, starting at the entry. */
export function readBuiltGraph(entry: string): BuiltGraph {
  const files = new Set<string>();
  const outside: BuiltImport[] = [];
  const lost: BuiltImport[] = [];
  const follow = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    if (!/\.[cm]?js$/.test(file)) return;
    for (const specifier of importsOf(file)) {
      const found = { file, specifier };
      if (!specifier.startsWith('.')) outside.push(found);
      else {
        const target = resolve(dirname(file), specifier);
        const path = [target, `${target}.js`, join(target, 'index.js')].find(
          (each) => existsSync(each) && statSync(each).isFile(),
        );
        if (path === undefined) lost.push(found);
        else follow(path);
      }
    }
  };
  follow(entry);
  return { files: [...files], outside, lost };
}

/** The package of an import; undefined for a module of Node.js. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('node:') || specifier.startsWith('#') || builtinModules.includes(specifier))
    return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
