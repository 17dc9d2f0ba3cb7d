import { describe, expect, it } from 'vitest';

import type { ActionFormat } from '../contracts/format.js';
import { actionFormatChecks, checkActionFormat, describeActionFormat } from './check-action-format.js';
import { unfinishedCheck } from './conformance-kit.js';

const good: ActionFormat = {
  instructions: 'Begin with "do:".',
  parse: (text) =>
    /^do:[^]*\S/.test(text) ? { action: text.slice(3) } : { malformed: 'no do:', observation: 'Begin with do:.' },
  render: (action) => `do:${action}`,
};
const subject = (format: ActionFormat) => ({ create: () => format, options: {} });
const greedy = /^do:([^]*\S[^]*)$/gu;
let listeners = 0;

/** One broken format for each check. */
const fixtures: Record<string, ActionFormat> = {
  'round-trip': { ...good, render: (action) => `do: ${action}` },
  'never-throws': { ...good, parse: (text) => JSON.parse(text) as ReturnType<ActionFormat['parse']> },
  swift: {
    ...good,
    parse: (text) => {
      // Quadratic time, like a pattern that tries to match from every position.
      for (let at = 0; at < text.length; at += 1) if (text.slice(at).replaceAll('<', '').length > 1e9) break;
      return good.parse(text);
    },
  },
  repeatable: {
    ...good,
    parse: (text) => {
      const action = greedy.exec(text)?.[1];
      return action === undefined ? { malformed: 'no do:', observation: 'Begin with do:.' } : { action };
    },
  },
  'short-reply': {
    ...good,
    parse: (text) => {
      const parsed = good.parse(text);
      return 'malformed' in parsed ? { ...parsed, observation: `What is ${text}?` } : parsed;
    },
  },
  'no-empty-action': { ...good, parse: (text) => (text === 'do:' ? { action: '' } : good.parse(text)) },
  instructions: {
    ...good,
    get instructions() {
      return `Begin with "do:". It is ${Date.now()}.`;
    },
  },
  'global-state': {
    ...good,
    parse: (text) => {
      (globalThis as Record<string, unknown>)[`agentgymTest${(listeners += 1)}`] = text;
      return good.parse(text);
    },
  },
};

describe('checkActionFormat', () => {
  it('finds nothing in a good format', async () => {
    expect(await checkActionFormat(subject(good))).toEqual([]);
  });

  it('has one broken format for each check', () => {
    expect(Object.keys(fixtures).toSorted()).toEqual(actionFormatChecks.map(({ id }) => id).toSorted());
  });

  it.each(Object.entries(fixtures))('%s catches its broken format', async (id, format) => {
    const others = actionFormatChecks.map((check) => check.id).filter((other) => other !== id);
    const findings = await checkActionFormat(subject(format), { accept: others, secondsPerText: 0.05, texts: 50 });
    expect(findings[0]).toMatchObject({ id, severity: 'error' });
    expect(findings[0]?.message).not.toContain(unfinishedCheck);
  });

  it('reads function calls too', async () => {
    const accept = actionFormatChecks.map(({ id }) => id).filter((id) => id !== 'never-throws');
    const readCall = (text: string) => JSON.parse(text) as { name: string; arguments: object } as never;
    const findings = await checkActionFormat(subject({ ...good, readCall }), { accept, texts: 20 });
    expect(findings[0]).toMatchObject({ id: 'never-throws' });
  });

  it('lets a format refuse to write an action that is empty', async () => {
    const render = (action: string) => {
      if (action.trim() === '') throw new Error('empty');
      return good.render(action);
    };
    expect(await checkActionFormat(subject({ ...good, render }), { accept: ['swift'], texts: 20 })).toEqual([]);
  });

  it('reports a format that cannot be created', async () => {
    const create = (): ActionFormat => {
      throw new Error('no grammar');
    };
    expect(await checkActionFormat({ create, options: {} })).toMatchObject([{ id: 'create', message: 'no grammar' }]);
  });
});

describe('describeActionFormat', () => {
  it('declares a test for each check, and those of broken things fail with their cause', async () => {
    const declared: (() => Promise<void>)[] = [];
    const broken = subject(fixtures['round-trip'] as ActionFormat);
    describeActionFormat((_name, body) => declared.push(body), broken, { texts: 20, accept: ['swift'] });
    expect(declared).toHaveLength(actionFormatChecks.length);
    const outcomes = await Promise.allSettled(declared.map((body) => body()));
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(failed).toHaveLength(1);
    expect(String(failed[0]?.reason)).toMatch(/round-trip[^]*likely cause/);
  });
});
