// Writes the contracts as pages: the prose of the doc comments, and the unchanged declarations, because these files are
// written for readers.
import { basename } from 'node:path';
import { readdirSync, readFileSync } from 'node:fs';

import ts from 'typescript';

const folder = new URL('../../src/contracts/', import.meta.url);

/** An exported declaration of a contract. */
export interface ContractExport {
  readonly name: string;
  /** Name of the contract's file, without its ending: `environment`. */
  readonly contract: string;
  /** Its doc comment without examples; empty if there is none. */
  readonly prose: string;
  /** The Markdown of its `@example`. */
  readonly example: string;
  /** The unchanged declaration, with the doc comments of its members. */
  readonly declaration: string;
  /** Names of contracts that it uses. */
  readonly mentions: readonly string[];
}

/** Everything that the contracts export, by file and in the order of the files. */
export function contractExports(): ContractExport[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  return files.sort().flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
    return source.statements.filter(isExported).map((statement) => ({
      name: statement.name.text,
      contract: basename(file, '.ts'),
      ...docComment(statement, text),
      declaration: statement.getText(source).replace(/^export /, ''),
      mentions: mentionsOf(statement),
    }));
  });
}

/** `docs/reference/contracts/NAME.md` for each file of `src/contracts/`, and a list of all. */
export function contractPages(): Record<string, string> {
  const all = contractExports();
  const contracts = [...new Set(all.map(({ contract }) => contract))];
  const pages = contracts.map((contract) => [`contracts/${contract}.md`, contractPage(contract, all)] as const);
  return { 'contracts/README.md': listPage(contracts, all), ...Object.fromEntries(pages) };
}

function listPage(contracts: readonly string[], all: readonly ContractExport[]): string {
  const rows = contracts.map((contract) => {
    const names = all
      .filter((one) => one.contract === contract)
      .map(({ name }) => `[\`${name}\`](${contract}.md#${name.toLowerCase()})`);
    return `| [${contract}](${contract}.md) | ${names.join(', ')} |`;
  });
  const lines = [
    '# Contracts\n',
    'What the parts of agentgym promise each other, as TypeScript types. A plugin imports them from `@agentgym/cli`, as types only:',
    'all that it needs at run time is handed to it.\n',
    'Generated from `src/contracts/` by `npm run reference`.\n',
    '| file | types |',
    '|---|---|',
    ...rows,
  ];
  return `${lines.join('\n')}\n`;
}

function contractPage(contract: string, all: readonly ContractExport[]): string {
  const own = all.filter((one) => one.contract === contract);
  const sections = own.flatMap(({ name, prose, example, declaration, mentions }) => {
    const links = mentions.flatMap((mention) => {
      const other = all.find((one) => one.name === mention && one.name !== name);
      if (other === undefined) return [];
      return [
        `[\`${mention}\`](${other.contract === contract ? '' : `${other.contract}.md`}#${mention.toLowerCase()})`,
      ];
    });
    return [
      `## ${name}\n`,
      ...(prose === '' ? [] : [`${prose}\n`]),
      '```ts',
      declaration,
      '```\n',
      ...(links.length === 0 ? [] : [`Speaks of ${links.join(', ')}.\n`]),
      ...(example === '' ? [] : [`An example:\n\n${example}\n`]),
    ];
  });
  const lines = [
    `# Contract: ${contract}\n`,
    `Generated from \`src/contracts/${contract}.ts\` by \`npm run reference\`.\n`,
    ...sections,
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration | ts.FunctionDeclaration;

function isExported(statement: ts.Statement): statement is Declaration & { readonly name: ts.Identifier } {
  const isDeclaration = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
  return isDeclaration && (statement.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function docComment(statement: ts.Statement, text: string): { prose: string; example: string } {
  const comment = (ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? []).at(-1);
  const raw = comment === undefined ? '' : text.slice(comment.pos, comment.end);
  if (!raw.startsWith('/**')) return { prose: '', example: '' };
  const lines = raw
    .replace(/^\/\*\*/, '')
    .replace(/\s*\*\/$/, '')
    .split('\n');
  const [prose = '', example = ''] = lines
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .split(/^@example\n/m);
  return { prose: escaped(prose.trim()), example: example.trim() };
}

/** Markdown without HTML: escapes `<`, as in `log p(tokens[t] | tokens[<t])`. */
const escaped = (prose: string) =>
  prose
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('');

function mentionsOf(node: ts.Node): string[] {
  const found = new Set<string>();
  const visit = (child: ts.Node) => {
    if (ts.isTypeReferenceNode(child) && ts.isIdentifier(child.typeName)) found.add(child.typeName.text);
    if (ts.isExpressionWithTypeArguments(child) && ts.isIdentifier(child.expression)) found.add(child.expression.text);
    ts.forEachChild(child, visit);
  };
  visit(node);
  return [...found].sort();
}
