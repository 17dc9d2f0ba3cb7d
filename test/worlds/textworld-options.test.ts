import { describe, expect, it } from 'vitest';

import { options } from '../../plugins/env-textworld/src/options.js';
import { checkOptions } from '../../src/config/check-options.js';
import { expandOptions } from '../../src/credit/expand-options.js';
import type { OptionDeclaration } from '../../src/contracts/options.js';

/** What the message says for a value out of the range, and the values themselves. */
function wrongValues(option: OptionDeclaration): { readonly range: string; readonly values: readonly unknown[] } {
  switch (option.type) {
    case 'integer':
      return {
        range: `It takes a whole number from ${option.minimum} to ${option.maximum}; `,
        values: [option.minimum! - 1, option.maximum! + 1, option.minimum! + 0.5, 2 ** 53, NaN, '3', true, [3], null],
      };
    case 'choice':
      return { range: `It takes one of ${option.choices.join(', ')}; `, values: ['zork', '', 0, null, ['custom']] };
    case 'boolean':
      return { range: 'It takes true or false; ', values: [0, 'true', null] };
    default:
      return { range: 'It takes ', values: [3, true, ['folder']] };
  }
}

const declarations = Object.entries(options).map(([kind, declared]) => [kind, expandOptions(declared)] as const);
const all = declarations.flatMap(([kind, declared]) =>
  Object.entries(declared).map(([name, option]) => [kind, name, option, declared] as const),
);

describe.each(all)('textworld-%s, the option %s', (_kind, name, option, declared) => {
  const { range, values } = wrongValues(option);

  it.each(values)('is not %j', (value) => {
    const { findings } = checkOptions(declared, { [name]: value });
    expect(findings.map(({ path }) => path)).toEqual([[name]]);
    expect(findings[0]!.message).toContain(`\`${name}\` `);
    expect(findings[0]!.hint.slice(0, range.length)).toBe(range);
  });

  it('may have its default and the ends of its range', () => {
    const ends = option.type === 'integer' ? [option.minimum, option.maximum] : [];
    for (const value of [option.default, ...ends]) {
      expect(checkOptions(declared, { [name]: value }).findings).toEqual([]);
    }
  });
});

it('names an option that is not there', () => {
  const { findings } = checkOptions(expandOptions(options.custom), { room: 2 });
  expect(findings).toMatchObject([{ message: 'there is no option `room`', hint: 'Did you mean `rooms`?' }]);
});
