// A run records the packages that it was made with, and later differences are reported. Real runs of a few steps, with
// an environment of the project.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import type { RunManifest } from '../../src/runs/run-manifest.js';
import { documentOf, type CliResult } from './run-cli.js';
import { runWarm } from './warm-cli.js';
import { coinCode, coinEntry, newFolder, packageJson, writeFiles } from './write-plugin.js';

const recipe = `recipeVersion: 1
environment: { name: coin }
policy: { preset: pico, sampling: { maxActionTokens: 2 }, options: { threads: 1 } }
algorithm: { name: grpo, groupSize: 2 }
horizon: { schedule: fixed, turns: 1 }
stages:
  sft: { kind: sft, steps: 1, batchSize: 4, demonstrations: { count: 4 } }
  rl: { kind: rl, steps: 9, tasksPerStep: 2 }
evaluation: { every: 0, final: { tasks: 2, temperatures: [0] } }
stopAfter: { seconds: 0 }
`;

const manifestOf = (result: CliResult) =>
  JSON.parse(readFileSync(join(documentOf(result)['run'] as string, 'manifest.json'), 'utf8')) as RunManifest;

it('a run records its packages, and says where a resumed or a new one has others', { timeout: 120_000 }, async () => {
  const project = newFolder({
    'package.json': JSON.stringify({ name: 'p', dependencies: { 'plugin-coin': '*' } }),
    'recipe.yaml': recipe,
  });
  const coin = join(project, 'node_modules/plugin-coin');
  const install = (version: string, code = coinCode()) =>
    writeFiles(coin, {
      'package.json': packageJson({ name: 'plugin-coin', version }),
      'index.js': coinEntry(),
      'coin.js': code,
    });
  const train = (...args: string[]) => runWarm(['train', ...args, '--json'], { cwd: project });
  install('1.0.0');

  const first = await train('./recipe.yaml');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const manifest = manifestOf(first);
  expect(manifest.packages?.map(({ name }) => name)).toEqual([
    '@agentgym/plugin-algo-grpo',
    '@agentgym/plugin-curriculum-standard',
    '@agentgym/plugin-format-standard',
    '@agentgym/plugin-policy-transformer',
    '@agentgym/plugin-reward-standard',
    'plugin-coin',
  ]);
  const used = manifest.packages?.at(-1);
  expect(used).toMatchObject({ version: '1.0.0', origin: 'project' });
  expect(used?.integrity).toMatch(/^sha512-/);
  expect(manifest.packages?.[0]).toMatchObject({ origin: 'built-in' });
  expect(manifest.inexact).toEqual([]);

  // Without a change there is no message. Goes red when the integrity includes files outside the package, or the seed.
  expect((await train('./recipe.yaml', '--seed', '2')).stderr).toBe('');
  expect((await train('--resume', manifest.id)).stderr).toBe('');

  // The same version with other files. Goes red when only versions are compared.
  install('1.0.0', coinCode({ top: '// another comment' }));
  const again = await train('./recipe.yaml');
  expect(again.stderr).toMatch(
    /The run \w+ of the same recipe used other plugins; this run uses other files in plugin-coin 1\.0\.0\./,
  );
  expect((await train('./recipe.yaml', '--set', 'stages.rl.steps=3')).stderr).toBe('');

  // Goes red when a resumed run is not compared, or when the manifest does not record the difference.
  install('1.1.0');
  const resumed = await train('--resume', manifest.id);
  const reason = 'resumed with plugin-coin 1.1.0 instead of 1.0.0';
  expect(resumed.stderr).toContain(`The run is ${reason}`);
  expect(manifestOf(resumed)).toMatchObject({ inexact: [reason] });
  expect(manifestOf(resumed).packages?.at(-1)).toMatchObject({ version: '1.1.0' });

  install('2.0.0');
  const shown = await runWarm(['runs', 'show', manifest.id], { cwd: project });
  expect(shown.stdout).toMatch(/^plugins +plugin-coin 1\.1\.0 \(project\)$/m);
  expect(shown.stdout).toMatch(/^now +plugin-coin 2\.0\.0 instead of 1\.1\.0$/m);
  const compared = await runWarm(['runs', 'compare', manifest.id, manifestOf(again).id], { cwd: project });
  expect(compared.stdout).toMatch(/^plugin +\w+ +\w+\nplugin-coin +1\.1\.0 +1\.0\.0$/m);

  // Goes red when a resumed run ignores its pins, because its recipe is not read again.
  writeFileSync(join(project, 'pinned.yaml'), `${recipe}plugins: { plugin-coin: ^2.0.0 }\n`);
  const pinned = await train('./pinned.yaml');
  expect(pinned.code).toBe(0);
  install('1.0.0');
  for (const refused of [await train('./pinned.yaml'), await train('--resume', manifestOf(pinned).id)]) {
    expect(refused.code).toBe(2);
    expect(documentOf(refused)).toMatchObject({
      error: {
        code: 'AG_PLUGIN_VERSION',
        message: 'the recipe requires plugin-coin ^2.0.0, and 1.0.0 is installed',
        hint: "Install another version: `npm install 'plugin-coin@^2.0.0'`.",
      },
    });
  }
});
