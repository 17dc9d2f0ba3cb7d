import { expect, it } from 'vitest';

import { metricValue, mlflowKey, paramValue } from './mlflow-names.js';

it('keys have only the characters that MLflow takes, and are plain paths', () => {
  expect(mlflowKey('eval/t0.5/success low-1:a')).toBe('eval/t0.5/success low-1:a');
  expect(mlflowKey('eval/pass@8 (é)')).toBe('eval/pass_8 (_)'.replaceAll(/[()]/g, '_'));
  expect(mlflowKey('/a//b/../c/')).toBe('a/c');
  expect(mlflowKey('..')).toBe('_');
  expect(mlflowKey('x'.repeat(300))).toHaveLength(250);
});

it('values are within their limits, without half a character', () => {
  expect(paramValue('a'.repeat(6000))).toHaveLength(6000);
  expect(paramValue('a'.repeat(7000))).toBe(`${'a'.repeat(5999)}…`);
  expect(paramValue(`${'a'.repeat(5998)}😀😀`)).toBe(`${'a'.repeat(5998)}…`);
  expect([1.5, NaN, Infinity, -Infinity].map(metricValue)).toEqual([1.5, 'NaN', 'Infinity', '-Infinity']);
});
