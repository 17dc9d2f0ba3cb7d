import { expect, it } from 'vitest';

import { checkOptions } from '../config/check-options.js';
import type { OptionsDeclaration } from '../contracts/options.js';
import { parseOptions } from './parse-playing-flags.js';

const declaration = {
  body: { type: 'string', default: null, description: 'Body' },
  seed: { type: 'choice', choices: ['1', 'none'], default: 'none', description: 'Seed' },
  width: { type: 'integers', default: [1], description: 'Width' },
  deep: { type: 'boolean', default: false, description: 'Deep' },
} as const satisfies OptionsDeclaration;

it.each<[string, unknown]>([
  ['body={"reasoning_effort": "low"}', '{"reasoning_effort": "low"}'],
  ['body=4', '4'],
  ['body=1e3', '1e3'],
  ['body=0x10', '0x10'],
  ['body=true', 'true'],
  ['body=[1, 2]', '[1, 2]'],
  ['body=text', 'text'],
  ['body="4"', '4'],
  ['body=null', null],
  ['seed=1', '1'],
  ['width=[2,3]', [2, 3]],
  ['deep=true', true],
])('the command line gives an option of text its text, and others their value: %s', (text, value) => {
  const { findings, values } = checkOptions(declaration, parseOptions([text], '--policy-option'));
  expect(findings).toEqual([]);
  expect(values[text.split('=')[0]!]).toEqual(value);
});
