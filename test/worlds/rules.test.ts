// A model that was never trained in a world knows of it only what the world says, in every action format.
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { expect, it } from 'vitest';

import { openPluginHost } from '../../src/plugins/open-plugin-host.js';
import { isPlayable } from '../playable.js';
import { readPluginSource } from '../../src/plugins/plugin-source.js';
import { optionDefaults, testHost } from '../../src/testing/index.js';

const plugins = resolve(import.meta.dirname, '../../plugins');
const names = readdirSync(plugins).filter((name) => name.startsWith('env-'));
const host = openPluginHost(await Promise.all(names.map((name) => readPluginSource(join(plugins, name)))));
const environments = (await host.contributions('environment')).filter(({ contribution }) => isPlayable(contribution));

it('there are environments to ask', () => expect(environments.length).toBeGreaterThanOrEqual(5));

it.each(environments.map((environment) => [environment.name, environment] as const))(
  '%s tells its rule as it comes, and says what an action is',
  async (_name, environment) => {
    const { open } = await host.load(environment);
    const world = await open(optionDefaults(environment.contribution.options), testHost());
    expect(world.instructions).toMatch(/Each turn, write one/);
    await world.close?.();
  },
);
