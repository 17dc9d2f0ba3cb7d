// Checks packed tarballs, which the registry would serve: their contents, and whether their types are found. Needs a
// build.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { promisify } from 'node:util';

import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import { libraryFolders, pluginFolders, repository, shown } from '../architecture/source-files.js';
import { isLong } from '../long.js';
import { readExamples } from '../types/read-examples.js';

const run = promisify(execFile);
const wrong = join(repository, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');

let folder: string;
const tarballs = inject('tarballs');
/** Name -> the folder of the unpacked package, and its files, with slashes. */
const packages = new Map<string, { readonly root: string; readonly files: readonly string[] }>();
const host = () => packages.get('@agentgym/cli')!;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentgym-contents-'));
  for (const [i, tarball] of tarballs.entries()) {
    const into = join(folder, String(i));
    mkdirSync(into);
    await run('tar', ['-xzf', tarball, '-C', into]);
    const root = join(into, 'package');
    const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name: string };
    const files = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(root.length + 1)
          .split(sep)
          .join('/'),
      );
    packages.set(name, { root, files });
  }
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Files that a package may contain besides compiled modules and their types. */
const ASSETS = [
  /^(package\.json|README\.md|LICENSE)$/,
  /^dist\/kernels\/kernels\.wasm$/,
  /^dist\/reporting\/page\/[\w-]+\.css$/,
  /^(recipes|templates|docs\/reference)\//,
  /^(python|programs)\/\w+\.py$/,
  /^oclif\.manifest\.json$/,
  /^bin\/run\.js$/,
];

describe('packed packages', () => {
  it('are the host, every plugin and what plugins share', () => {
    expect(packages.size).toBe(1 + pluginFolders().length + libraryFolders().length);
  });

  it('hold compiled modules, their types and named assets, and nothing of how they were made', () => {
    for (const [name, { files }] of packages) {
      const needed = ['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts'];
      expect(files, name).toEqual(expect.arrayContaining(needed));
      const strange = files.filter(
        (file) => !/^dist\/.*(\.js|\.d\.ts)$/.test(file) && !ASSETS.some((asset) => asset.test(file)),
      );
      expect(strange, name).toEqual([]);
      // Users copy templates and recipes, including their tests.
      const own = files.filter((file) => file.startsWith('dist/'));
      expect(
        own.filter((file) => /\.test\.|\.test-d\.|fixtures\/|tsbuildinfo|\.map$/.test(file)),
        name,
      ).toEqual([]);
    }
  });

  // Red when package.json names a file that is not packed.
  it('are found right by publint', async () => {
    for (const [name, { root }] of packages) {
      const { messages, pkg } = await publint({ pkgDir: root, pack: false, strict: true });
      expect(
        messages.map((message) => formatMessage(message, pkg)),
        name,
      ).toEqual([]);
    }
  });

  it('name no source map', () => {
    for (const [name, { root, files }] of packages) {
      for (const file of files.filter((one) => /^dist\/.*\.(js|ts|css)$/.test(one))) {
        const map = /^\/[/*]# sourceMappingURL=(\S+)/m.exec(readFileSync(join(root, file), 'utf8'))?.[1];
        expect(map, `${name} ${file}`).toBeUndefined();
      }
    }
  });

  it('hold every file to which a module of theirs refers', () => {
    let found = 0;
    for (const [name, { root, files }] of packages) {
      for (const file of files.filter((one) => /^dist\/.*\.(js|d\.ts)$/.test(one))) {
        const text = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
        for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"'$]+)["']/g)) {
          const path = join(root, dirname(file), target);
          const there = existsSync(path) || existsSync(path.replace(/\.js$/, '.d.ts'));
          expect(there, `${name} ${file}: ${target}`).toBe(true);
          found += 1;
        }
      }
    }
    expect(found).toBeGreaterThan(1000);
  });

  it('the host carries recipes, the reference and templates, as far as the sources have them', () => {
    const copied = ['recipes', 'docs/reference', 'templates'].filter((name) => existsSync(join(repository, name)));
    expect(copied).toEqual(expect.arrayContaining(['recipes', 'docs/reference']));
    const pages = ['report-page.js', 'report-page.css', 'live-page.js'].map((name) => `dist/reporting/page/${name}`);
    expect(host().files).toEqual(expect.arrayContaining([...pages, 'bin/run.js', 'oclif.manifest.json']));
    for (const name of copied) {
      const sources = readdirSync(join(repository, name), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
        .map((entry) => shown(join(entry.parentPath, entry.name)));
      expect(sources.length).toBeGreaterThan(0);
      expect(host().files).toEqual(expect.arrayContaining(sources));
    }
  });

  // Other plugins have the same layout, and their contents were checked above.
  it.each(['@agentgym/cli', '@agentgym/plugin-policy-transformer'])(
    '%s has types that are found, by arethetypeswrong',
    async (name) => {
      const tarball = tarballs[[...packages.keys()].indexOf(name)]!;
      const { stdout } = await run(process.execPath, [wrong, tarball, '--profile', 'esm-only', '--format', 'json']);
      const { analysis } = JSON.parse(stdout) as { analysis: { problems?: Record<string, unknown[]> } };
      expect(analysis).toHaveProperty('types');
      // CommonJS can load these packages only by `import()`, as the profile says. There must be no other problems.
      const problems = Object.values(analysis.problems ?? {}).flat() as { kind: string; resolutionKind?: string }[];
      expect(problems.filter(({ resolutionKind }) => !/^node1(0|6-cjs)$/.test(resolutionKind ?? ''))).toEqual([]);
    },
    60_000,
  );
});

/** Types that are not found would be `any`, which accepts everything: then the expected errors would be missing. */
const OWN = `
import { defineRecipe, type Recipe } from '@agentgym/cli';
import { environmentKit, testHost } from '@agentgym/cli/testing';
export const seed: number = testHost(1).random.integer(0, 9);
// @ts-expect-error: a seed is a number
testHost('one');
// @ts-expect-error: a recipe is an object
defineRecipe(1);
export type { Recipe };
export { environmentKit };
`;

describe('a project that depends on the packed host', () => {
  /** The output of TypeScript for the sources of a plugin, and for all declarations that they import. */
  const check = (compiler: string, moduleResolution: string): string => {
    const project = join(folder, `${compiler.replaceAll('/', '-')}-${moduleResolution}`);
    const modules = join(project, 'node_modules');
    const link = (target: string, path: string) => {
      mkdirSync(dirname(path), { recursive: true });
      if (!existsSync(path)) symlinkSync(target, path, 'junction');
    };
    link(host().root, join(modules, '@agentgym', 'cli'));
    // Types need only this dependency of the host. It is searched from the real folder of the host.
    link(join(repository, 'node_modules', 'valibot'), join(host().root, 'node_modules', 'valibot'));
    for (const types of ['@types/node', 'undici-types'])
      link(join(repository, 'node_modules', types), join(modules, types));
    mkdirSync(join(project, 'src'));
    for (const { name, text } of readExamples()) writeFileSync(join(project, 'src', name), text);
    writeFileSync(join(project, 'src', 'own.ts'), OWN);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const settings = {
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2023',
      lib: ['es2023'],
      types: ['node'],
      module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
      moduleResolution,
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: settings, include: ['src'] }));
    const tsc = join(repository, 'node_modules', compiler);
    const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', project, '--listFiles'], { encoding: 'utf8' });
    const lines = `${stdout}${stderr}`.trim().split('\n');
    const isFile = (line: string) => isAbsolute(line) && existsSync(line);
    const ours = lines.filter((line) => isFile(line) && line.startsWith(slashed(host().root)));
    expect(ours.length).toBeGreaterThan(10);
    return lines.filter((line) => !isFile(line)).join('\n');
  };

  // The compiler of this repository, and the major version before it.
  it.each<readonly [compiler: string, resolution: string]>([
    ['@typescript/native/bin/tsc', 'node16'],
    ...(isLong
      ? ([
          ['@typescript/native/bin/tsc', 'bundler'],
          ['typescript/bin/tsc6', 'node16'],
        ] as const)
      : []),
  ])(
    'compiles by %s under %s, declarations of the host included',
    (compiler, resolution) => {
      expect(check(compiler, resolution)).toBe('');
    },
    120_000,
  );
});

function slashed(path: string): string {
  return realpathSync(path).split(sep).join('/');
}
