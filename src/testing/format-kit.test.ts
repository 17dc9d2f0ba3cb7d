import { describe, expect, it } from 'vitest';

import type { ActionFormat } from '../contracts/format.js';
import { formatKit } from './format-kit.js';
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

/** Broken formats for each check. */
const fixtures: Record<string, ActionFormat | readonly ActionFormat[]> = {
  'round-trip': { ...good, render: (action) => `do: ${action}` },
  'any-text': [
    { ...good, parse: (text) => JSON.parse(text) as ReturnType<ActionFormat['parse']> },
    { ...good, parse: (text) => (text === 'do:' ? { action: '' } : good.parse(text)) },
    {
      ...good,
      parse: (text) => {
        const parsed = good.parse(text);
        return 'malformed' in parsed ? { ...parsed, observation: `What is ${text}?` } : parsed;
      },
    },
    { ...good, readCalls: (text) => JSON.parse(text) as never },
  ],
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
  instructions: { ...good, instructions: good.instructions.repeat(500) },
  clock: {
    ...good,
    get instructions() {
      return `Begin with "do:". It is ${new Date().toDateString()}.`;
    },
  },
  'global-random': { ...good, parse: (text) => (Math.random() < 2 ? good.parse(text) : good.parse('')) },
  'global-state': {
    ...good,
    parse: (text) => {
      (globalThis as Record<string, unknown>)[`agentgymTest${(listeners += 1)}`] = text;
      return good.parse(text);
    },
  },
};

describe('the kit of formats', () => {
  it('finds nothing in a good format', async () => {
    expect(await formatKit.check(subject(good))).toEqual([]);
  });

  it('has a broken format for each check', () => {
    expect(['create', ...Object.keys(fixtures)].toSorted()).toEqual(formatKit.checks.map(({ id }) => id).toSorted());
  });

  const all = Object.entries(fixtures).flatMap(([id, some]) => [some].flat().map((format) => [id, format] as const));
  it.each(all)('%s catches its broken format', async (id, format) => {
    const findings = await formatKit.check(subject(format), { only: [id], secondsPerText: 0.05, texts: 50 });
    expect(findings[0]).toMatchObject({ id, severity: 'error' });
    expect(findings[0]?.message).not.toContain(unfinishedCheck);
  });

  it('lets a format refuse to write an action that is empty', async () => {
    const render = (action: string) => {
      if (action.trim() === '') throw new Error('empty');
      return good.render(action);
    };
    expect(await formatKit.check(subject({ ...good, render }), { accept: ['swift'], texts: 20 })).toEqual([]);
  });

  it('reports a format that cannot be created', async () => {
    const create = (): ActionFormat => {
      throw new Error('no grammar');
    };
    expect(await formatKit.check({ create, options: {} })).toMatchObject([{ id: 'create', message: 'no grammar' }]);
  });
});

describe('formatKit.describe', () => {
  it('declares a test for each check, and those of broken things fail with their cause', async () => {
    const declared: (() => Promise<void>)[] = [];
    const broken = subject(fixtures['round-trip'] as ActionFormat);
    formatKit.describe((_name, body) => declared.push(body), broken, { texts: 20, accept: ['swift'] });
    expect(declared).toHaveLength(formatKit.checks.length - 1);
    const outcomes = await Promise.allSettled(declared.map((body) => body()));
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(failed).toHaveLength(1);
    expect(String(failed[0]?.reason)).toMatch(/round-trip: parse reads[^]*must return the action/);
  });
});
