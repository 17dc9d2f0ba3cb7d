import { describe, expect, it } from 'vitest';

import { compactJson, memberJson, pythonJson } from './written-json.js';

describe('pythonJson', () => {
  // Of `json.dumps(json.loads(text), ensure_ascii=False)` in Python 3.12.
  it.each([
    ['1e-7', '1e-07'],
    ['0.00001', '1e-05'],
    ['0.0001', '0.0001'],
    ['1.0', '1.0'],
    ['-0', '0'],
    ['-0.0', '-0.0'],
    ['1E2', '100.0'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740993.0', '9007199254740992.0'],
    ['1e15', '1000000000000000.0'],
    ['1e16', '1e+16'],
    ['12345678901234567.0', '1.2345678901234568e+16'],
    ['1.5e300', '1.5e+300'],
    ['2.5e-5', '2.5e-05'],
    ['0.1', '0.1'],
    ['-12.50', '-12.5'],
    ['1e999', 'Infinity'],
    ['-1e999', '-Infinity'],
    ['2.2250738585072014e-308', '2.2250738585072014e-308'],
    ['123.456e1', '1234.56'],
    ['{"b":[1,2.0,true,null],"1":"\\u00e9\\n, 1e-7"}', '{"b": [1, 2.0, true, null], "1": "é\\n, 1e-7"}'],
  ])('writes %s as %s', (json, expected) => {
    expect(pythonJson(json)).toBe(expected);
  });
});

describe('compactJson', () => {
  it('drops white space and keeps numbers as they were written', () => {
    expect(compactJson('{ "a" : [1.0, 1E5,\n12345678901234567890], "b\\u0041": "x \\" , 1" }')).toBe(
      '{"a":[1.0,1E5,12345678901234567890],"bA":"x \\" , 1"}',
    );
  });
});

describe('memberJson', () => {
  it.each([
    [
      '{"name": "f", "arguments": {"a": [1.0, {"arguments": 2}], "b": ","}}',
      '{"a": [1.0, {"arguments": 2}], "b": ","}',
    ],
    ['{"arguments": 1.0, "name": "arguments"}', '1.0'],
    ['{"arguments": 1, "arguments": "x"}', '"x"'],
    ['{"a": {"arguments": 1}}', undefined],
    ['{"name": "arguments", "a": "b"}', undefined],
  ])('finds that of %s', (json, expected) => {
    expect(memberJson(json, 'arguments')).toBe(expected);
  });
});
