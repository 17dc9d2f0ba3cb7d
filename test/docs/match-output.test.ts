import { describe, expect, it } from 'vitest';

import { matchesOutput } from './match-output.js';

const exact = { anyNumbers: false };
const loose = { anyNumbers: true };

describe('matchesOutput', () => {
  it('wants every line, in order', () => {
    expect(matchesOutput(['a', 'b'], 'a\nb\n', exact)).toBe(true);
    expect(matchesOutput(['a', 'b'], 'b\na\n', exact)).toBe(false);
    expect(matchesOutput(['a'], 'a\nb\n', exact)).toBe(false);
    expect(matchesOutput(['b'], 'a\nb\n', exact)).toBe(false);
  });

  it('takes `...` for any lines, and within a line for anything', () => {
    expect(matchesOutput(['a', '...', 'd'], 'a\nb\nc\nd\n', exact)).toBe(true);
    expect(matchesOutput(['a', '...'], 'a\n', exact)).toBe(true);
    expect(matchesOutput(['a', '...', 'd'], 'a\nb\n', exact)).toBe(false);
    expect(matchesOutput(['Run completed: runs/...'], 'Run completed: runs/x-1\n', exact)).toBe(true);
    expect(matchesOutput(['a...'], 'b\n', exact)).toBe(false);
  });

  it('takes characters for what they are', () => {
    expect(matchesOutput(['(a.b)* 1 | 2'], '(a.b)* 1 | 2\n', exact)).toBe(true);
    expect(matchesOutput(['a.b'], 'acb\n', exact)).toBe(false);
  });

  it('takes a number for any number where a command did less, and words for themselves', () => {
    expect(matchesOutput(['trained  91.5 %'], 'trained 0.0 %\n', loose)).toBe(true);
    expect(matchesOutput(['trained  1,491'], 'trained      2\n', loose)).toBe(true);
    expect(matchesOutput(['trained  91.5 %'], 'trained  0.0 %\n', exact)).toBe(false);
    expect(matchesOutput(['trained  91.5 %'], 'started  0.0 %\n', loose)).toBe(false);
  });
});
