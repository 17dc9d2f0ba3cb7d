// If an algorithm discounts without declaring it, a late success may fall below a failure unnoticed.
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { describe, expect, it } from 'vitest';

import { openPluginHost } from '../../src/plugins/open-plugin-host.js';
import { readPluginSource } from '../../src/plugins/plugin-source.js';
import { optionDefaults, testHost } from '../../src/testing/index.js';

const plugins = resolve(import.meta.dirname, '../../plugins');
const names = readdirSync(plugins).filter((name) => name.startsWith('algo-'));
const host = openPluginHost(await Promise.all(names.map((name) => readPluginSource(join(plugins, name)))));
const algorithms = (await host.contributions('algorithm')).map((located) => [located.name, located] as const);

describe('the discount that an algorithm declares', () => {
  // Goes red when an algorithm with the option omits `discount`, or swaps turns and tokens.
  it.each(algorithms)('%s: is that of its options', async (_name, located) => {
    const { create } = await host.load(located);
    const defaults: Record<string, unknown> = optionDefaults(located.contribution.options);
    const declared = async (options: Record<string, unknown>) =>
      (await create(options as never, testHost())).discount ?? { turn: 1, token: 1 };

    const { turnDiscount = 1, tokenDiscount = 1 } = defaults;
    expect(await declared(defaults)).toEqual({ turn: turnDiscount, token: tokenDiscount });
    const discounted = Object.keys(defaults).filter((name) => /discount|gamma/i.test(name));
    const values: Record<string, number> = { turnDiscount: 0.5, tokenDiscount: 0.75 };
    expect(Object.keys(values)).toEqual(expect.arrayContaining(discounted));
    const chosen = Object.fromEntries(discounted.map((name) => [name, values[name]]));
    expect(await declared({ ...defaults, ...('level' in defaults && { level: 'turn' }), ...chosen })).toEqual({
      turn: discounted.includes('turnDiscount') ? 0.5 : 1,
      token: discounted.includes('tokenDiscount') ? 0.75 : 1,
    });
  });

  it('is asked of the algorithms that have one', () => {
    const found = algorithms.filter(([, { contribution }]) => 'turnDiscount' in contribution.options);
    const expected = ['cispo', 'gigpo', 'grpo', 'ppo', 'reinforce', 'reinforce-plus-plus', 'rloo'];
    expect(found.map(([name]) => name)).toEqual(expect.arrayContaining(expected));
  });
});
