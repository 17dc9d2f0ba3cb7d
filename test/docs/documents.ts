import { readdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';

import { repository } from '../architecture/source-files.js';

/**
 * Markdown that people wrote, relative to the repository: all of it is tested. Generated Markdown is compared with the
 * code instead.
 */
export const documents: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  ...below('docs').filter((path) => !path.startsWith('docs/reference/')),
  ...readmesIn('recipes'),
  ...readmesIn('packages'),
  ...readmesIn('plugins'),
];

/** Documents whose commands need a registry: test/registry/documents.long.test.ts runs them with the installed host. */
export const registryDocuments: readonly string[] = ['docs/plugins.md'];

/** Guides that begin with `agentgym init` and `npm install`: test/registry/guides.long.test.ts runs them as a reader does. */
export const packageGuides: readonly string[] = [
  'writing-an-environment',
  'data-sets',
  'slow-and-shared-worlds',
  'worlds-in-python',
  'tools',
  'writing-a-reward',
  'writing-an-algorithm',
  'writing-a-policy',
  'writing-an-action-format',
].map((name) => `docs/guides/${name}.md`);

/** Markdown below docs/reference/, written by `npm run reference`. */
export const referenceDocuments: readonly string[] = below('docs/reference');

function below(folder: string): string[] {
  const names = readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' });
  const pages = names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'));
  return pages.sort().map((name) => `${folder}/${name}`);
}

function readmesIn(folder: string): string[] {
  const names = readdirSync(join(repository, folder)).sort();
  return names.map((name) => `${folder}/${name}/README.md`).filter((path) => existsSync(join(repository, path)));
}
