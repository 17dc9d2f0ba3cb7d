// Tests of the templates in the repository: a filled template must be complete, with any name.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import * as prettier from 'prettier';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import { fillTemplate, type ScaffoldFile } from './fill-template.js';
import { parseProjectName } from './project-name.js';
import { packageRoot, templates, type Template } from './template.js';

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly scripts: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly [key: string]: unknown;
}

const root = packageRoot();
const host = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageJson;
const packages: readonly Template[] = templates.filter(({ isPackage }) => isPackage);
const plugins = packages.filter(({ name }) => name !== 'project');

const fill = (template: Template, name: string, hostOf = '^0.1.0') =>
  fillTemplate(template, { ...parseProjectName(name, template), host: hostOf }, root);
const packageOf = (files: readonly ScaffoldFile[]) =>
  JSON.parse(files.find(({ path }) => path === 'package.json')!.content) as PackageJson;

describe('templates', () => {
  it('are the folders of templates/, each with a README and a recipe', () => {
    expect(readdirSync(join(root, 'templates')).sort()).toEqual(templates.map(({ name }) => name).sort());
    for (const { name } of templates) {
      expect(readdirSync(join(root, 'templates', name))).toEqual(expect.arrayContaining(['README.md', 'recipe.yaml']));
    }
  });

  it.each(templates)('$name leaves no placeholder, and no file under the name that npm needs', async (template) => {
    const files = await fill(template, '@me/plugin-x2');
    expect(files.filter(({ path, content }) => `${path}${content}`.includes('template-name'))).toEqual([]);
    expect(files.map(({ path }) => path).filter((path) => path.startsWith('_'))).toEqual([]);
    // npm does not pack these files.
    const lying = readdirSync(join(root, 'templates', template.name), { recursive: true }) as string[];
    expect(lying.filter((path) => /(^|\/)(\.gitignore|\.npmrc|package-lock\.json)$/.test(path))).toEqual([]);
  });

  // Goes red when a placeholder is on a line whose layout depends on its length.
  it.each(templates)('$name is laid out as prettier wants it, whatever the name', async (template) => {
    for (const name of ['a', 'a-name-that-is-as-long-as-names-of-plugins-come']) {
      for (const { path, content } of await fill(template, name)) {
        const { inferredParser } = await prettier.getFileInfo(path);
        if (inferredParser === null || path.endsWith('.md')) continue;
        const options = { printWidth: 120, singleQuote: true, filepath: path };
        expect(await prettier.check(content, options), `${template.name}/${path} for ${name}`).toBe(true);
      }
    }
  });

  it.each(packages)('$name is developed against the host that made it', async (template) => {
    const made = packageOf(await fill(template, 'env-mine', '^0.9.3'));
    expect(made.name).toBe('env-mine');
    expect(made.devDependencies['@agentgym/cli']).toBe('^0.9.3');
  });

  // Goes red when the repository changes the version of a tool and a template does not.
  it.each(packages)('$name has the tools of this repository', async (template) => {
    const { '@agentgym/cli': _, ...tools } = packageOf(await fill(template, 'mine')).devDependencies;
    // In this repository `typescript` is an alias of another package, so its version comes from the module.
    const ours: Record<string, string> = { ...host.devDependencies, typescript: ts.version };
    expect(tools).toEqual(Object.fromEntries(Object.keys(tools).map((name) => [name, ours[name]])));
  });

  // Packages with a shared installation could use undeclared packages without an error.
  it.each(packages)('$name declares what it imports and runs, and all of that', async (template) => {
    const files = await fill(template, 'mine');
    const { devDependencies, dependencies, scripts } = packageOf(files);
    const used = new Set<string>(['@types/node']);
    for (const { path, content } of files.filter((file) => /\.[jt]s$/.test(file.path))) {
      for (const [statement, specifier = ''] of content.matchAll(/^(?:im|ex)port [^;]*? from '([^'.][^']*)';$/gm)) {
        if (specifier.startsWith('node:')) continue;
        used.add(
          specifier
            .split('/')
            .slice(0, specifier.startsWith('@') ? 2 : 1)
            .join('/'),
        );
        // A plugin that imports more than types does not load if it is installed without the host.
        if (!/\.test\.ts$|config\.js$/.test(path)) expect(statement, path).toMatch(/^import type /);
      }
    }
    const binaries: Record<string, string> = {
      tsc: 'typescript',
      oxlint: 'oxlint',
      prettier: 'prettier',
      vitest: 'vitest',
    };
    // oxlint runs another package for rules that need types.
    if (scripts['lint']?.includes('--type-aware') === true) used.add('oxlint-tsgolint');
    for (const script of Object.values(scripts)) {
      for (const [binary, name] of Object.entries(binaries)) if (script.split(' ').includes(binary)) used.add(name);
    }
    expect(Object.keys({ ...dependencies, ...devDependencies }).sort()).toEqual([...used].sort());
  });

  it.each(plugins)('$name is ready to be published', async (template) => {
    const files = await fill(template, `@me/${template.prefix}mine`);
    const made = packageOf(files);
    expect(made).toMatchObject({
      name: `@me/${template.prefix}mine`,
      license: 'Apache-2.0',
      type: 'module',
      engines: host['engines'],
      oclif: {},
      agentgym: { apiVersion: 1, plugin: './dist/index.js', recipe: './recipe.yaml' },
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
      peerDependencies: { '@agentgym/cli': '>=0.1.0 <2' },
      peerDependenciesMeta: { '@agentgym/cli': { optional: true } },
      scripts: { prepare: 'npm run build' },
    });
    expect(made['private']).toBeUndefined();
    expect(files.find(({ path }) => path === 'LICENSE')?.content).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
  });

  it('share the files that no template needs another way', () => {
    for (const file of [
      '.oxlintrc.json',
      'vitest.config.js',
      'tsconfig.json',
      'tsconfig.build.json',
      '_gitignore',
      '.prettierignore',
    ]) {
      const texts = plugins.map(({ name }) => readFileSync(join(root, 'templates', name, file), 'utf8'));
      expect(new Set(texts).size, file).toBe(1);
    }
  });
});
