import { optionDefaults } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { options, validate, type Options } from './options.js';

it.each<[Partial<Options>, string | undefined]>([
  [{}, undefined],
  [{ maxCost: 1 }, 'maxCost has no effect: no price is known'],
  [{ maxCost: 1, outputPrice: 2 }, undefined],
  [{ extraBody: '{"reasoning_effort": "low"}' }, undefined],
  [{ extraBody: '[1]' }, 'extraBody is not a JSON object'],
  [{ extraBody: '{' }, 'extraBody is not a JSON object'],
  [{ extraBody: '{"temperature": 1}' }, 'extraBody sets temperature'],
])('%j: %s', (changes, message) => {
  expect(validate({ ...optionDefaults(options), ...changes })[0]?.message).toBe(message);
});
