// Every template as a user has it: made by the installed host, installed from a registry, built, linted, tested, packed, and trained for a few
// steps. One installation serves all packages, as workspaces; that each declares everything it uses is held by src/scaffolding/templates.test.ts.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const run = promisify(execFile);
const MINUTES = 60_000;

/** Templates, and what the package is called that is made of each. */
const made = [
  ['project', 'tries'],
  ['environment', 'env-mine'],
  ['reward', 'reward-mine'],
  ['algorithm', 'algo-mine'],
  ['policy', 'policy-mine'],
  ['recipe', 'question'],
] as const;
const packages = made.filter(([template]) => template !== 'recipe');
const plugins = packages.filter(([template]) => template !== 'project');
/** A training of a few steps: as many as the warm-ups of the recipes need. */
const short = [
  'stages.sft.steps=11',
  'stages.rl.steps=6',
  'stages.rl.tasksPerStep=2',
  'evaluation.every=6',
  'evaluation.tasks=5',
  'evaluation.final.tasks=10',
].flatMap((set) => ['--set', set]);

let folder: string;
let environment: NodeJS.ProcessEnv;
const within = (name: string, command: string, ...args: readonly string[]) =>
  run(command, [...args], { cwd: join(folder, name), env: environment, timeout: 10 * MINUTES, maxBuffer: 2 ** 26 });
const agentgym = (name: string, ...args: readonly string[]) =>
  within(name, process.execPath, inject('installed').bin, ...args);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentgym-templates-'));
  environment = {
    ...process.env,
    ...inject('registry').environment,
    NODE_ENV: 'production',
    npm_config_include: 'dev',
    AGENTGYM_DATA_DIR: join(folder, '.data'),
    AGENTGYM_CACHE_DIR: join(folder, '.cache'),
    AGENTGYM_CONFIG_DIR: join(folder, '.config'),
  };
  for (const [template, name] of made) await agentgym('.', 'init', '--template', template, '--name', name, '--yes');
  const workspaces = packages.map(([, name]) => name);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, workspaces }));
  // Installing runs `prepare`, which builds: as it does where a plugin is installed from git.
  await within('.', 'npm', 'install', '--prefer-offline');
}, 10 * MINUTES);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }), MINUTES);

describe.each(packages)('the template %s', (_template, name) => {
  it('is built where it is installed', () => {
    const { agentgym: declared } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as {
      agentgym: { plugin: string };
    };
    expect(existsSync(join(folder, name, declared.plugin))).toBe(true);
  });

  it('lints', () => within(name, 'npm', 'run', 'lint'), 2 * MINUTES);

  it('passes its own tests', () => within(name, 'npm', 'test'), 3 * MINUTES);

  it(
    'trains',
    async () => {
      const { stdout } = await agentgym(name, 'train', '--json', '--output', 'runs/short', ...short);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' });
      // The run was made with what lies here, and not with something else of that name.
      const manifest = readFileSync(join(folder, name, 'runs', 'short', 'manifest.json'), 'utf8');
      expect(manifest).toContain(`"package": "${name}"`);
    },
    3 * MINUTES,
  );
});

describe.each(plugins)('the package of the template %s', (_template, name) => {
  it('holds what it needs, and no sources, tests or leftovers', async () => {
    const { stdout } = await within(name, 'npm', 'pack', '--dry-run', '--json', '--ignore-scripts');
    const [packed] = JSON.parse(stdout) as [{ files: readonly { path: string }[] }];
    const files = packed.files.map(({ path }) => path);
    const own = name.replace(/^[a-z]+-/, '');
    const needed = [
      'LICENSE',
      'README.md',
      'package.json',
      'recipe.yaml',
      'dist/index.js',
      'dist/index.d.ts',
      `dist/${own}.js`,
    ];
    expect(files).toEqual(expect.arrayContaining(needed));
    expect(files.filter((file) => /^src|\.test\.|tsbuildinfo|(?<!\.d)\.ts$|eslint|tsconfig/.test(file))).toEqual([]);
  });

  it('has nothing for publint to say', async () => {
    const { messages } = await publint({ pkgDir: join(folder, name), strict: true });
    expect(messages.filter(({ type }) => type !== 'suggestion')).toEqual([]);
  });
});

describe('the template recipe', () => {
  it(
    'trains without anything installed',
    async () => {
      const { stdout } = await agentgym('.', 'train', 'question/recipe.yaml', '--json', ...short);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' });
    },
    3 * MINUTES,
  );
});
