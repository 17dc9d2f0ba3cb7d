import { expect, it } from 'vitest';

import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { ablationFingerprint } from './resolve-cells.js';

const fingerprint = (changes: Parameters<typeof tinyRecipe>[0], without: readonly string[] = []) => {
  const recipe = Object.fromEntries(Object.entries(tinyRecipe(changes)).filter(([key]) => !without.includes(key)));
  return ablationFingerprint([{ id: 'a', settings: {}, recipe: recipe as never, notes: [] }]);
};

// Goes red when an ablation that was begun by an old version, or with another tracker, starts again in another folder.
it('does not depend on trackers, descriptions and seeds', () => {
  const own = fingerprint({});
  expect(fingerprint({ tracking: ['mlflow'] })).toBe(own);
  expect(fingerprint({}, ['tracking'])).toBe(own);
  expect(fingerprint({ description: 'Find it', seed: 3 })).toBe(own);
  expect(fingerprint({ horizon: { schedule: 'fixed', turns: 3 } })).not.toBe(own);
});
