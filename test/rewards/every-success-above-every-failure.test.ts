// Plays every environment of the workspace with every reward scheme of it. New ones must obey the law without a line
// here.
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { describe, expect, it } from 'vitest';

import { openPluginHost, type LocatedContribution } from '../../src/plugins/open-plugin-host.js';
import { isPlayable } from '../playable.js';
import { readPluginSource } from '../../src/plugins/plugin-source.js';
import { isLong } from '../long.js';
import { rewardOnKit, optionDefaults } from '../../src/testing/index.js';

const plugins = resolve(import.meta.dirname, '../../plugins');
const names = readdirSync(plugins).filter((name) => /^(env|reward)-/.test(name));
const host = openPluginHost(await Promise.all(names.map((name) => readPluginSource(join(plugins, name)))));
const environments = (await host.contributions('environment')).filter(({ contribution }) => isPlayable(contribution));
const rewards = await host.contributions('reward');

/** Schemes that take prices: the law is checked for them next to an outcome reward. */
const terms = ['calls', 'cost', 'format'];

/** Options of environments that nobody can lose with the defaults. */
const harder: Readonly<Record<string, object>> = { 'textworld-coin-collector': { level: 5 } };

type Pair = readonly [string, string, LocatedContribution<'environment'>, LocatedContribution<'reward'>];
const pairs = environments.flatMap((environment) =>
  rewards.flatMap((reward): Pair[] => {
    const lacks = (reward.contribution.needs ?? []).some((fact) => !environment.contribution.facts?.includes(fact));
    return lacks ? [] : [[environment.name, reward.name, environment, reward]];
  }),
);

describe('every success scores above every failure', () => {
  it('is asked of all there are', () => {
    const schemes = ['balanced', 'cost', 'dense', 'format', 'progress', 'sparse'];
    for (const environment of ['guess-number', 'textcraft']) {
      const asked = pairs.filter(([name]) => name === environment).map(([, reward]) => reward);
      expect(asked).toEqual(expect.arrayContaining(schemes));
    }
  });

  // Goes red when dense pays a fixed sum for each milestone, or when an environment counts other milestones in failures
  // than in successes.
  it.each(pairs)('%s under %s', { timeout: 120_000 }, async (_environment, name, environment, reward) => {
    const { contribution } = environment;
    const findings = await rewardOnKit.check(
      {
        environment: {
          ...(await host.load(environment)),
          contribution,
          options: { ...optionDefaults(contribution.options), ...harder[environment.name] },
        },
        reward: { ...(await host.load(reward)), options: optionDefaults(reward.contribution.options) },
      },
      { tasks: isLong ? 6 : 2, term: terms.includes(name) },
    );
    expect(findings).toEqual([]);
  });
});
