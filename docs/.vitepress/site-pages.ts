import { posix } from 'node:path';

/** Where a Markdown file of the repository is on the site; undefined for files that are no page of it. */
export function pageOf(file: string): string | undefined {
  const plugin = /^plugins\/([^/]+)\/README\.md$/.exec(file)?.[1];
  // A plugin's page holds its README.
  if (plugin !== undefined) return `reference/plugins/${plugin}.md`;
  const recipe = /^recipes\/([^/]+)\/README\.md$/.exec(file)?.[1];
  if (recipe !== undefined) return `recipes/${recipe}.md`;
  if (/^(CONTRIBUTING|ARCHITECTURE)\.md$/.test(file)) return file.toLowerCase();
  return /^docs\/(?!\.).*\.md$/.test(file)
    ? file.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md')
    : undefined;
}

/**
 * A link of a page, as the site has it: pages of the site by their address there, everything else of the repository
 * below `sourceAddress`.
 *
 * @param file the Markdown file, relative to the repository
 * @param sourceAddress where files of the repository can be looked at; without it such links become plain text
 */
export function siteLink(link: string, file: string, sourceAddress: string | undefined): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(link)) return link;
  const [, path = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(link) ?? [];
  const target = posix.normalize(posix.join(posix.dirname(file), decodeURI(path)));
  const page = pageOf(target) ?? (posix.extname(target) === '' ? pageOf(posix.join(target, 'README.md')) : undefined);
  if (page !== undefined) return `/${page}${hash}`;
  // `config.ts` puts the schemas beside the pages.
  if (target.endsWith('.schema.json')) return target.replace(/^docs/, '');
  return sourceAddress === undefined ? undefined : `${sourceAddress.replace(/\/$/, '')}/${target}${hash}`;
}
