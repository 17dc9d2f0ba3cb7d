import { describe, expect, expectTypeOf, it } from 'vitest';

import type { OptionGroups } from '../contracts/option-groups.js';
import type { GroupedOptions, OptionsOf } from '../contracts/options.js';
import { expandOptions } from './expand-options.js';
import { optionGroups } from './option-groups.js';

type Values = { readonly [Group in keyof OptionGroups]: OptionsOf<(typeof optionGroups)[Group]> };

describe('groups of options', () => {
  it('are declared as the contract says what code receives', () => {
    expectTypeOf<Values>().toEqualTypeOf<OptionGroups>();
    expect(Object.keys(optionGroups)).toContain('kl');
  });

  it('stand in the place of their entry, changed or left out as the algorithm says', () => {
    const declaration = {
      margin: { type: 'number', default: 0, description: 'Own' },
      clip: { group: 'clip', change: { clipLow: { default: null, description: 'Otherwise' } }, without: ['dualClip'] },
      kl: {
        group: 'kl',
        without: ['klIn', 'klTarget', 'klHorizon'],
        change: { klEstimator: { choices: ['k2', 'k3'] } },
      },
      cap: { type: 'integer', default: null, description: 'Own too' },
    } as const satisfies GroupedOptions;
    const { clip, kl } = optionGroups;
    const expanded = expandOptions(declaration);
    expect(expanded).toEqual({
      margin: declaration.margin,
      clipLow: { ...clip.clipLow, default: null, description: 'Otherwise' },
      clipHigh: clip.clipHigh,
      klCoefficient: kl.klCoefficient,
      klEstimator: { ...kl.klEstimator, choices: ['k2', 'k3'] },
      cap: declaration.cap,
    });
    expect(Object.keys(expanded)).toEqual(['margin', 'clipLow', 'clipHigh', 'klCoefficient', 'klEstimator', 'cap']);
    expectTypeOf<OptionsOf<typeof declaration>>().toEqualTypeOf<{
      readonly margin: number;
      readonly clipLow: number | null;
      readonly clipHigh: number;
      readonly klCoefficient: number;
      readonly klEstimator: 'k2' | 'k3';
      readonly cap: number | null;
    }>();
  });

  it.each([
    [{ steering: { group: 'KL' } }, /^\.steering\.group: must be one of scaling, .*kl.*, not "KL"$/],
    [
      { kl: { group: 'kl', change: { klInn: {} } } },
      /^\.kl\.change: the group has klCoefficient, .* no option "klInn"$/,
    ],
    [{ kl: { group: 'kl', without: ['clip'] } }, /^\.kl\.without: the group has klCoefficient, .* no option "clip"$/],
    [{ kl: { group: 'kl', without: 'klIn' } }, /^\.kl\.without: must be a list of names$/],
    [{ kl: { group: 'kl', change: null } }, /^\.kl\.change: must be an object$/],
    [{ clip: { group: 'clip' }, clipLow: { type: 'boolean' } }, /^\.clipLow: the option clipLow appears twice$/],
  ])('%j is refused', (declaration, message) => {
    expect(() => expandOptions(declaration as unknown as GroupedOptions)).toThrow(message);
  });
});
