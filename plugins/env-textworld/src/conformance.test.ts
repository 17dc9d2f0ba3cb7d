import { describe, inject, it } from 'vitest';

import { environmentKit } from '@agentgym/cli/testing';

import { complete } from './fixtures/play.js';
import contributions from './index.js';
import type { GameKind, Options } from './options.js';
import { worldOf } from './textworld.js';

const freshProcess = new URL('../dist/worlds/custom.js', import.meta.url);
type Setting = {
  [Name in GameKind]: { readonly title: string; readonly kind: Name; readonly given?: Partial<Options<Name>> };
}[GameKind];
const usual: readonly Setting[] = [
  { title: 'custom games', kind: 'custom' },
  { title: 'a fixed house', kind: 'simple', given: { rewards: 'balanced', goal: 'brief' } },
  {
    title: 'cooking',
    kind: 'cooking',
    given: { recipe: 1, take: 1, go: 6, open: true, cook: true, foods: 'split' },
  },
];
const long: readonly Setting[] = [
  {
    title: 'custom games, whole rooms, as the original',
    kind: 'custom',
    given: {
      objects: 6,
      instructions: 'last',
      observe: 'room',
      listActions: false,
      splits: 'seeds',
      compat: 'textworld',
    },
  },
  { title: 'coins', kind: 'coin-collector', given: { level: 3 } },
  { title: 'treasures', kind: 'treasure-hunter', given: { level: 3 } },
];

const isLong = inject('long');

describe.each(isLong ? [...usual, ...long] : usual)('textworld: $title', ({ title, kind, given }) => {
  const contribution = contributions.find(({ name }) => name === `textworld-${kind}`)!;
  const subject = { open: worldOf<GameKind>(kind), contribution, options: complete<GameKind>(kind, given) };
  const isDefault = title === 'custom games';
  const effort = isDefault && isLong ? 'usual' : 'small';
  // Processes take longer than all else here.
  environmentKit.describe(it, subject, { effort, ids: 15, ...(isDefault && { freshProcess }) });
});
