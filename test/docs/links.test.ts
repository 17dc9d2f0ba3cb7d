// Every link of every document must lead to a file or folder of the repository, and to an existing heading if it names
// one. Links to other servers are only checked for their form.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { lexer, type Token } from 'marked';
import { describe, expect, it } from 'vitest';

import { headingSlug } from '../../docs/.vitepress/heading-slug.js';
import { repository } from '../architecture/source-files.js';
import { documents, referenceDocuments } from './documents.js';

describe('links', () => {
  it.each([...documents, ...referenceDocuments])('%s', (document) => {
    expect(brokenLinks(document, readFileSync(join(repository, document), 'utf8'))).toEqual([]);
  });

  it('are found broken where they are', () => {
    const text = [
      '# One heading',
      '[a](status.md) [b](nowhere.md) [c](#one-heading) [d](#another) [e](status.md#status) [f](status.md#x)',
      '[g](../src/index.ts) [h](../src/nothing.ts) [i](https://example.org/a) [j](https://no host) [k](mailto:a) ![l](no.svg) `[m](no.md)`',
    ].join('\n\n');
    expect(brokenLinks('docs/x.md', text)).toEqual([
      'nowhere.md',
      '#another',
      'status.md#x',
      '../src/nothing.ts',
      'mailto:a',
      'no.svg',
    ]);
  });
});

// A page that two changes have extended may have one section twice.
it.each(documents)('%s has no two sections with one title', (document) => {
  const headings = lexer(readFileSync(join(repository, document), 'utf8')).filter(
    (token) => token.type === 'heading' && (token as { depth: number }).depth <= 2,
  );
  const titles = headings.map(plainText);
  expect(titles.filter((title, i) => titles.indexOf(title) < i)).toEqual([]);
});

function brokenLinks(document: string, text: string): string[] {
  return linksOf(lexer(text)).filter((link) => !leadsSomewhere(document, text, link));
}

function leadsSomewhere(document: string, text: string, link: string): boolean {
  if (/^[a-z]+:/.test(link)) return /^https?:$/.test(link.split('/')[0] ?? '') && URL.canParse(link);
  const [, path = '', anchor] = /^([^#]*)(?:#(.*))?$/.exec(link) ?? [];
  // The home page of the site names its pages from the root, without the file extension.
  const target = posix.normalize(posix.join(posix.dirname(document), decodeURI(path)));
  const file = path === '' ? document : target;
  if (!existsSync(join(repository, file)) && path !== '') return false;
  if (anchor === undefined) return true;
  const content = path === '' ? text : readFileSync(join(repository, file), 'utf8');
  return file.endsWith('.md') && anchorsOf(content).has(anchor);
}

function linksOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    const own = token.type === 'link' || token.type === 'image' ? [(token as { href: string }).href] : [];
    return [...own, ...linksOf(childrenOf(token))];
  });
}

/** A table stores its cells outside `tokens`. */
function childrenOf(token: Token): Token[] {
  if (token.type === 'table') {
    const { header, rows } = token as { header: { tokens: Token[] }[]; rows: { tokens: Token[] }[][] };
    return [...header, ...rows.flat()].flatMap((cell) => cell.tokens);
  }
  if (token.type === 'list') return (token as { items: Token[] }).items;
  return 'tokens' in token ? (token.tokens ?? []) : [];
}

function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = lexer(text).filter(({ type }) => type === 'heading');
  return new Set(
    headings.map((heading) => {
      const slug = headingSlug(plainText(heading));
      const before = seen.get(slug) ?? 0;
      seen.set(slug, before + 1);
      return before === 0 ? slug : `${slug}-${before}`;
    }),
  );
}

function plainText(token: Token): string {
  const inner = childrenOf(token);
  return inner.length === 0 ? ((token as { text?: string }).text ?? '') : inner.map(plainText).join('');
}
