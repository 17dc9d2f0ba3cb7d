import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import ts from 'typescript';

/** One import, export-from or dynamic import of a file. */
export interface Import {
  /** As written. */
  readonly specifier: string;
  /** Absolute path of the source file, if the specifier is relative. */
  readonly target?: string;
  /** `import type`, or a list of names that are all types. */
  readonly isType: boolean;
  readonly isDynamic: boolean;
}

/** Every import of a TypeScript source file. The syntax tree excludes strings and comments that look like imports. */
export function readImports(file: string): Import[] {
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, isType: boolean, isDynamic: boolean) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const { text } = specifier;
    const target = text.startsWith('.') ? resolve(dirname(file), text).replace(/\.js$/, '.ts') : undefined;
    found.push({ specifier: text, isType, isDynamic, ...(target !== undefined && { target }) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause), false);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly, false);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false, true);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true, false);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const names = clause.namedBindings;
  return (
    clause.name === undefined &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every((name) => name.isTypeOnly)
  );
}
