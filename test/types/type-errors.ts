import { dirname, join, sep } from 'node:path';

import ts from 'typescript';

import { repository } from '../architecture/source-files.js';

/** Where the files of a check seem to lie; nothing is there. */
const folder = join(repository, 'test', 'types', 'in-memory');

/**
 * What TypeScript says, under the settings of this repository, of files that exist in memory only.
 *
 * @param files text by path, such as `right/index.ts`; they may import each other and `@agentgym/cli`
 * @returns messages by path; empty where there are none
 */
export function typeErrors(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const texts = new Map([...files].map(([name, text]) => [join(folder, name), text]));
  const program = ts.createProgram({ rootNames: [...texts.keys()], options: settings(), host: hostOf(texts) });
  return new Map(
    [...files.keys()].map((name) => {
      const source = program.getSourceFile(join(folder, name));
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      return [name, found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))];
    }),
  );
}

function settings(): ts.CompilerOptions {
  const file = join(repository, 'tsconfig.test.json');
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const parsed = ts.getParsedCommandLineOfConfigFile(file, undefined, host);
  if (parsed === undefined) throw new Error(`${file} cannot be read`);
  return parsed.options;
}

function hostOf(texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const disk = ts.createCompilerHost(settings());
  const folders = new Set([...texts.keys()].map(dirname));
  return {
    ...disk,
    fileExists: (name) => texts.has(native(name)) || disk.fileExists(name),
    readFile: (name) => texts.get(native(name)) ?? disk.readFile(name),
    directoryExists: (name) => folders.has(native(name)) || disk.directoryExists?.(name) === true,
    getSourceFile: (name, version, onError) => {
      const text = texts.get(native(name));
      return text === undefined
        ? disk.getSourceFile(name, version, onError)
        : ts.createSourceFile(name, text, version, true);
    },
  };
}

/** TypeScript writes paths with slashes everywhere. */
const native = (name: string): string => name.replaceAll('/', sep);
