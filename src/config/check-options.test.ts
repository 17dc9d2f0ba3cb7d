import { describe, expect, it } from 'vitest';

import type { OptionsDeclaration } from '../contracts/options.js';
import { checkOptions } from './check-options.js';
import { optionLines } from './option-lines.js';
import { optionsJsonSchema } from './option-schema.js';

const declaration = {
  verbose: { type: 'boolean', default: false, description: 'Say more' },
  depth: { type: 'integer', minimum: 1, maximum: 4, default: 2, description: 'Depth', axis: true },
  rate: { type: 'number', minimum: 0, exclusiveMinimum: true, default: 0.5, description: 'Rate' },
  limit: { type: 'integer', minimum: 0, default: null, description: 'Limit' },
  title: { type: 'string', default: 'none', description: 'Title' },
  style: { type: 'choice', choices: ['plain', 'named'], default: 'plain', description: 'Style' },
  width: { type: 'integers', minimum: 2, length: 2, default: [2, 3], description: 'Width' },
  words: { type: 'strings', default: [], description: 'Words' },
} as const satisfies OptionsDeclaration;

/** The complaints about the given values. */
const complaints = (given: Record<string, unknown>) =>
  checkOptions(declaration, given).findings.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('checkOptions', () => {
  it('takes right values and fills in defaults', () => {
    const given = {
      verbose: true,
      depth: 4,
      rate: 0.1,
      limit: null,
      title: '',
      style: 'named',
      width: [5, 6],
      words: ['a'],
    };
    expect(checkOptions(declaration, given)).toEqual({ values: given, findings: [] });
    expect(checkOptions(declaration).values).toMatchObject({ depth: 2, limit: null, width: [2, 3] });
  });

  it.each<[string, unknown, string]>([
    ['verbose', 'yes', '`verbose` is "yes", not true or false'],
    ['depth', 1.5, '`depth` is 1.5, not a whole number'],
    ['depth', 0, '`depth` is 0, below 1'],
    ['depth', 5, '`depth` is 5, above 4'],
    ['depth', null, '`depth` is null, not a whole number'],
    ['rate', 0, '`rate` is 0, not above 0'],
    ['rate', Infinity, '`rate` is Infinity, not a number'],
    ['title', 3, '`title` is 3, not text'],
    ['style', 'fancy', '`style` is "fancy"'],
    ['width', 5, '`width` is 5, not a list of whole numbers'],
    ['width', [5], '`width` has length 1 instead of 2'],
    ['width', [1, 5], '`width` is 1, below 2'],
    ['words', ['a', 1], '`words` is ["a",1], not a list of texts'],
    ['dpeth', 1, 'there is no option `dpeth`'],
    ['toString', 1, 'there is no option `toString`'],
  ])('complains about %s: %j', (name, value, message) => {
    expect(complaints({ [name]: value })).toEqual([`${name}: ${message}`]);
  });

  it('suggests the nearest name', () => {
    expect(checkOptions(declaration, { dpeth: 1 }).findings[0]?.hint).toBe('Did you mean `depth`?');
  });
});

it('help says type, default and meaning of each option', () => {
  expect(optionLines(declaration, 'environment').slice(2, 8)).toEqual([
    'depth: a whole number from 1 to 4; default 2',
    '  Depth (varied by `ablate complexity`)',
    'rate: a number above 0; default 0.5',
    '  Rate',
    'limit: a whole number of at least 0; default not set',
    '  Limit',
  ]);
});

it('help names an axis for environments only: no ablation varies the options of other kinds', () => {
  expect(optionLines(declaration, 'reward').slice(2, 4)).toEqual([
    'depth: a whole number from 1 to 4; default 2',
    '  Depth',
  ]);
});

it('the JSON Schema says the same', () => {
  expect(optionsJsonSchema(declaration)['properties']).toMatchObject({
    depth: { type: 'integer', minimum: 1, maximum: 4, default: 2 },
    rate: { type: 'number', exclusiveMinimum: 0 },
    limit: { type: ['integer', 'null'], default: null },
    style: { enum: ['plain', 'named'] },
    width: { type: 'array', items: { type: 'integer', minimum: 2 }, minItems: 2, maxItems: 2 },
  });
});
