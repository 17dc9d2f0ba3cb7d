import { describe, expect, it } from 'vitest';

import { readTrace } from './action-trace.js';

describe('readTrace', () => {
  it('takes the trace out of a reply', () => {
    const reply = '[opening the chest]\nYou open it.\n[opening the chest - succeeded]\n\nYour score has gone up.\n';
    expect(readTrace(reply)).toEqual({
      text: 'You open it.\n\nYour score has gone up.',
      done: ['opening the chest'],
      understood: true,
    });
  });

  it('counts no actions that fail, or that are parts of others', () => {
    const reply =
      '[removing the key from the chest]\n[(1) taking the key]\nTaken.\n[(1) taking the key - succeeded]\n' +
      '[removing the key from the chest - failed the some rule]';
    expect(readTrace(reply)).toEqual({ text: 'Taken.', done: [], understood: true });
  });

  it('counts every action of a line of commands', () => {
    const reply = '[going east]\nA.\n[going east - succeeded]\n[looking]\nB.\n[looking - succeeded]\n';
    expect(readTrace(reply)).toMatchObject({ text: 'A.\nB.', done: ['going east', 'looking'] });
  });

  it('leaves other brackets', () => {
    expect(readTrace('a ] b [] c [ d')).toEqual({ text: 'a ] b [] c [ d', done: [], understood: false });
  });

  it('reads long texts of brackets in no time', () => {
    const brackets = '['.repeat(200_000);
    expect(readTrace(brackets).text).toBe(brackets);
    expect(readTrace('[]'.repeat(60_000)).text).toBe('[]'.repeat(60_000));
    expect(readTrace('[a]'.repeat(60_000)).text).toBe('');
  });
});
