// `agentgym plugins` as users see it: an installed host, a real registry, and packages of others.
import { readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { isLong, longIt } from '../long.js';
import { publishFixture as publish } from './fixture-plugin.js';
import { agentgym, environmentsOf, errorOf, inspect, installedBy, newUser, startAgentgym } from './run-agentgym.js';

/** A world that shares code with the built-in ones. */
const kitCoin = `import { eachSplit } from '@agentgym/world-kit';
import { open as openCoin } from './coin.js';

export function open() {
  const world = openCoin();
  return { ...world, splits: eachSplit((split) => world.splits[split]) };
}
`;
const entry = `export default [{
  kind: 'environment',
  name: 'coin',
  summary: 'Say the side of a coin that the task names',
  options: {},
  load: () => import('./kit-coin.js'),
}];
`;

beforeAll(async () => {
  await publish({
    name: '@agentgym/plugin-env-coin',
    json: { dependencies: { '@agentgym/world-kit': '>=0.1.0' } },
    entry,
    files: { 'dist/kit-coin.js': kitCoin },
  });
  await publish({ name: '@fixture/env-second', environment: 'coin-second', version: '1.0.0' });
});

// Red when its package lacks a file, or a dependency that it imports.
it('policy-openai, which does not come with the host, is installed and plays', async () => {
  const user = newUser();
  expect((await agentgym(user, ['plugins', 'install', 'policy-openai'])).code).toBe(0);
  const played = await agentgym(user, [
    'play',
    'guess-number',
    '--policy',
    'openai:http://127.0.0.1:4/v1',
    '--policy-option',
    'retries=0',
  ]);
  expect(errorOf(played)).toMatchObject({
    code: 'AG_PLAYER_UNAVAILABLE',
    message: expect.stringContaining('ECONNREFUSED') as string,
  });
});

describe('a plugin of the registry', () => {
  const user = newUser();

  // Red without `packageNames` in parse-specifier.ts, and where the world kit is not published.
  it('is installed by its friendly name, trains, is inspected and uninstalled', async () => {
    const done = await agentgym(user, ['plugins', 'install', 'env-coin']);
    expect(done.json).toMatchObject({ name: '@agentgym/plugin-env-coin', version: '1.0.0', source: 'latest' });
    const recipe = {
      recipeVersion: 1,
      name: 'coins',
      seed: 1,
      environment: { name: 'coin' },
      reward: { terms: [{ name: 'sparse', weight: 1 }] },
      format: { name: 'plain' },
      policy: {
        name: 'transformer',
        preset: 'pico',
        options: { threads: 1 },
        sampling: { temperature: 1, maxActionTokens: 2 },
      },
      algorithm: { name: 'grpo', groupSize: 4 },
      horizon: { schedule: 'fixed', turns: 1 },
      stages: {
        sft: { kind: 'sft', demonstrations: { expert: 'oracle', count: 20 }, batchSize: 8, steps: 2, optimizer: {} },
        rl: { kind: 'rl', tasksPerStep: 4, steps: 2, optimizer: {} },
      },
      evaluation: { split: 'validation', tasks: 2, temperatures: [0], final: { tasks: 2 } },
    };
    writeFileSync(join(user.cwd, 'recipe.json'), JSON.stringify(recipe));
    const trained = await agentgym(user, ['train', 'recipe.json']);
    expect(trained.json).toMatchObject({ status: 'completed' });
    expect(await inspect(user, 'env-coin')).toMatchObject({
      type: 'installed',
      integrity: expect.stringMatching(/^sha512-/) as unknown,
      peerRange: '>=0.1.0 <2',
      contributions: [{ kind: 'environment', name: 'coin' }],
    });
    expect((await agentgym(user, ['plugins', 'uninstall', 'env-coin'])).code).toBe(0);
    expect(await installedBy(user)).toEqual([]);
    expect(errorOf(await agentgym(user, ['plugins', 'uninstall', 'env-coin'])).code).toBe('AG_PLUGIN_NOT_INSTALLED');
  });

  it('that there is not is said to be missing, under both names, and nothing changes', async () => {
    const failed = await agentgym(user, ['plugins', 'install', 'env-textcraf']);
    expect(failed.code).toBe(2);
    expect(errorOf(failed)).toMatchObject({
      code: 'AG_PLUGIN_NOT_FOUND',
      message: 'the registry has no package @agentgym/plugin-env-textcraf and no env-textcraf',
      hint: expect.stringContaining('env-textcraft') as unknown,
    });
    expect(errorOf(await agentgym(user, ['plugins', 'install', '@fixture/env-second@^7'])).message).toContain(
      'this version does not exist',
    );
  });

  longIt('is updated within its range, and the update of a refused version leaves the old one', async () => {
    await publish({ name: '@fixture/env-old', environment: 'coin-old', version: '1.0.0' });
    await agentgym(user, ['plugins', 'install', '@fixture/env-old']);
    expect((await agentgym(user, ['plugins', 'update'])).json['plugins']).toEqual([
      { name: '@fixture/env-old', from: '1.0.0', to: '1.0.0' },
    ]);
    await publish({ name: '@fixture/env-old', environment: 'coin-new', version: '1.1.0' });
    expect((await agentgym(user, ['plugins', 'update'])).json['plugins']).toEqual([
      { name: '@fixture/env-old', from: '1.0.0', to: '1.1.0' },
    ]);
    expect(await environmentsOf(user)).toEqual(['coin-new']);
    await publish({ name: '@fixture/env-old', version: '1.2.0', entry: 'throw new Error("broken release")' });
    const failed = await agentgym(user, ['plugins', 'update']);
    expect(errorOf(failed).message).toContain('broken release');
    expect(await environmentsOf(user)).toEqual(['coin-new']);
    expect((await agentgym(user, ['plugins', 'reset'])).code).toBe(2);
    expect((await agentgym(user, ['plugins', 'reset', '--yes'])).json['removed']).toHaveLength(1);
    expect(await installedBy(user)).toEqual([]);
  });
});

describe('lazy installs', () => {
  it('a command that lacks an environment names the command that brings it; with --yes it brings it itself', async () => {
    const user = newUser();
    const lacking = await agentgym(user, ['play', 'coin', '--policy', 'oracle']);
    expect(errorOf(lacking)).toMatchObject({ code: 'AG_CONTRIBUTION_UNKNOWN' });
    expect(errorOf(lacking).hint).toContain('`agentgym plugins install env-coin`');
    const done = await agentgym(user, ['play', 'coin', '--policy', 'oracle', '--yes']);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).toContain('Installed @agentgym/plugin-env-coin 1.0.0');
    const nowhere = await agentgym(user, ['play', 'checkers', '--policy', 'oracle', '--yes']);
    expect(errorOf(nowhere).code).toBe('AG_PLUGIN_NOT_FOUND');
  });
});

describe('interrupted and side by side', () => {
  it('two installs at once both come about', async () => {
    const user = newUser();
    const results = await Promise.all(
      ['env-coin', '@fixture/env-second'].map((name) => agentgym(user, ['plugins', 'install', name])),
    );
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(await environmentsOf(user)).toEqual(['coin', 'coin-second']);
  });

  it('an install that is killed, at whatever moment, leaves what was there, and the next one tidies up', async () => {
    const user = newUser();
    await agentgym(user, ['plugins', 'install', 'env-coin']);
    const list = () => readFileSync(join(user.data, 'package.json'), 'utf8');
    const before = list();
    for (const milliseconds of isLong ? [300, 700, 1000, 1300, 1700] : [700, 1300]) {
      const child = startAgentgym(user, ['plugins', 'install', '@fixture/env-second']);
      const ended = new Promise((resolve) => child.on('exit', resolve));
      setTimeout(() => child.kill('SIGKILL'), milliseconds);
      await ended;
      const now = list();
      // The install has changed either nothing or everything.
      if (now !== before) expect(await environmentsOf(user)).toEqual(['coin', 'coin-second']);
      else expect(await environmentsOf(user)).toEqual(['coin']);
      writeFileSync(join(user.data, 'package.json'), before);
    }
    await agentgym(user, ['plugins', 'install', '@fixture/env-second']);
    expect(await environmentsOf(user)).toEqual(['coin', 'coin-second']);
  });

  it('Ctrl-C ends an install with 130, and what was there stays', async () => {
    // A registry that accepts the connection and never answers.
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const user = newUser({ AGENTGYM_NPM_REGISTRY: `http://127.0.0.1:${port}/` });
    const child = startAgentgym(user, ['plugins', 'install', 'env-coin']);
    const ended = new Promise((resolve) => child.on('exit', resolve));
    setTimeout(() => child.kill('SIGINT'), 2500);
    expect(await ended).toBe(130);
    expect(await installedBy(user)).toEqual([]);
    silent.close();
  });
});
