// Every template as a user has it: made by the installed host, installed from a registry, built, linted, tested,
// packed, and trained for a few steps. All packages share one installation, as workspaces.
// src/scaffolding/templates.test.ts checks that each package declares everything it uses.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import { codeBlocks } from '../docs/code-blocks.js';
import { consoleCommands } from '../docs/console-commands.js';
import { runCommand, type CommandResult } from '../docs/run-command.js';
import { skippedCommands } from '../docs/skipped-commands.js';
import { isLong } from '../long.js';
import { INSTALL_HOST } from '../registry/install-host.js';

const run = promisify(execFile);
const MINUTES = 60_000;

/** Templates, and the name of the package that is made from each. */
const all = [
  ['project', 'tries'],
  ['environment', 'env-mine'],
  ['reward', 'reward-mine'],
  ['algorithm', 'algo-mine'],
  ['policy', 'policy-mine'],
  ['format', 'format-mine'],
  ['recipe', 'question'],
] as const;
/** What the pages for beginners make; the others differ from an environment by their example alone. */
const first: readonly string[] = ['project', 'environment', 'recipe'];
const made = all.filter(([template]) => isLong || first.includes(template));
const packages = made.filter(([template]) => template !== 'recipe');
const plugins = packages.filter(([template]) => template !== 'project');
/** A training of two steps per stage. */
const short = [
  'stages.sft.steps=2',
  'stages.sft.optimizer.warmup=0',
  'stages.sft.batchSize=8',
  'stages.sft.demonstrations.count=16',
  'stages.rl.steps=2',
  'stages.rl.optimizer.warmup=0',
  'stages.rl.tasksPerStep=2',
  'evaluation.every=2',
  'evaluation.tasks=2',
  'evaluation.final.tasks=2',
].flatMap((set) => ['--set', set]);
/** For the policy of the host: each engine thread compiles the model again. */
const oneThread = ['--set', 'policy.options.threads=1'];

let folder: string;
let environment: NodeJS.ProcessEnv;
const within = (name: string, command: string, ...args: readonly string[]) =>
  run(command, [...args], { cwd: join(folder, name), env: environment, timeout: 10 * MINUTES, maxBuffer: 2 ** 26 });
const agentgym = (name: string, ...args: readonly string[]) =>
  within(name, process.execPath, inject('installed').bin, ...args);

/** Commands of documents that run here, in order. The set-up of the registry ran the first of them. */
const [installation, ...making] = skippedCommands.filter(({ registry }) => registry);
const results: CommandResult[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentgym-templates-'));
  const user = {
    ...inject('registry').environment,
    AGENTGYM_DATA_DIR: join(folder, '.data'),
    AGENTGYM_CACHE_DIR: join(folder, '.cache'),
    AGENTGYM_CONFIG_DIR: join(folder, '.config'),
  };
  // Packages are also made inside a checkout, whose configuration is not theirs.
  writeFileSync(
    join(folder, 'vitest.config.js'),
    "throw new Error('vitest read the configuration of the folder above');",
  );
  environment = { ...process.env, ...user, NODE_ENV: 'production', npm_config_include: 'dev' };
  const haveWorkspaces = (workspaces: readonly string[]) =>
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, workspaces }));

  // Makes the environment with the commands of the page on getting started, before all other packages.
  haveWorkspaces(['env-mine']);
  const path = `${inject('installed').programs}${delimiter}${process.env['PATH'] ?? ''}`;
  for (const { document, command } of making) {
    const shown = codeBlocks(document)
      .filter(({ language }) => language === 'console')
      .flatMap(consoleCommands)
      .find((one) => one.command === command);
    if (shown === undefined) throw new Error(`${document} shows no ${command}`);
    // npm omits development dependencies in production.
    results.push(await runCommand(shown, folder, folder, { ...user, NODE_ENV: '', PATH: path }));
  }

  for (const [template, name] of made)
    if (name !== 'env-mine') await agentgym('.', 'init', '--template', template, '--name', name, '--yes');
  haveWorkspaces(packages.map(([, name]) => name));
  // The installation runs `prepare`, which builds, like the installation of a plugin from git.
  await within('.', 'npm', 'install', '--prefer-offline');
}, 10 * MINUTES);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }), MINUTES);

it('documents begin with an installation for all users of a machine, and a package of their own', () => {
  expect(installation?.command).toBe(`npm ${INSTALL_HOST.join(' ')}`);
  expect(making).toHaveLength(2);
  for (const [i, { code, printed }] of results.entries()) expect(code, `${making[i]?.command}\n${printed}`).toBe(0);
  expect(existsSync(join(folder, 'env-mine', 'dist', 'mine.js'))).toBe(true);
});

describe('all templates of packages', () => {
  const names = packages.map(([, name]) => name);

  it('have the scripts that are run here: tests are those of what the installation built', () => {
    for (const name of names) {
      const { scripts } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as { scripts: object };
      expect(scripts, name).toMatchObject({
        lint: 'tsc && oxlint --type-aware && prettier --check .',
        prepare: 'npm run build',
        pretest: 'npm run build',
        test: 'vitest run',
      });
    }
  });

  // The steps of `npm run lint`, each run once for all packages. Each package keeps its own configuration.
  it(
    'lint',
    async () => {
      const tool = (path: string, ...args: readonly string[]) =>
        within('.', process.execPath, join(folder, 'node_modules', path), ...args);
      await tool('typescript/bin/tsc', '--build', ...names);
      await tool('oxlint/bin/oxlint', '--type-aware', ...names);
      const ignored = names.map((name) => `--ignore-path=${name}/.prettierignore`);
      await tool('prettier/bin/prettier.cjs', '--check', ...ignored, ...names);
    },
    3 * MINUTES,
  );
});

describe.each(packages)('the template %s', (_template, name) => {
  it('is built where it is installed', () => {
    const { agentgym: declared } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as {
      agentgym: { plugin: string };
    };
    expect(existsSync(join(folder, name, declared.plugin))).toBe(true);
  });

  // The tests of the environment ran in the commands of the page on getting started.
  if (name !== 'env-mine')
    it('passes its own tests', () => within(name, 'npm', 'test', '--ignore-scripts'), 3 * MINUTES);

  it(
    'trains',
    async () => {
      const threads = name === 'policy-mine' ? [] : oneThread;
      const { stdout } = await agentgym(name, 'train', '--json', '--output', 'runs/short', ...short, ...threads);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' });
      // The run used the package here, not another one of that name.
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
    expect(files.filter((file) => /^src|\.test\.|tsbuildinfo|(?<!\.d)\.ts$|oxlint|tsconfig/.test(file))).toEqual([]);
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
      const { stdout } = await agentgym('.', 'train', 'question/recipe.yaml', '--json', ...short, ...oneThread);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' });
    },
    3 * MINUTES,
  );
});
