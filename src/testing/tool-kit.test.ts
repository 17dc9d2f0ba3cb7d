import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { Tool, ToolFunction, ToolSession } from '../contracts/tool.js';
import { toolKit } from './tool-kit.js';
import { unfinishedCheck } from './conformance-kit.js';

/** Reverses a text and counts the texts of its session. */
const good = (): Tool => ({
  instructions: 'Write <reverse>TEXT</reverse>.',
  example: '<reverse>abc</reverse>',
  parse(text) {
    if (!text.startsWith('<reverse>')) return undefined;
    const end = text.indexOf('</reverse>');
    if (end === -1) return { malformed: 'it is not closed' };
    const word = text.slice('<reverse>'.length, end);
    return /^[a-z]{0,20}$/u.test(word) ? { call: word } : { malformed: 'letters are wanted' };
  },
  begin: () => session(),
});

function session(changes: Partial<ToolSession> = {}): ToolSession {
  let told = 0;
  return {
    run(call) {
      const text = call as string;
      if (text === '') return { output: 'there is no text', failed: true };
      return { output: `${[...text].reverse().join('')} ${(told += 1)}` };
    },
    ...changes,
  };
}

const subject = (create: () => Tool) => ({ create, options: {} });
const running = (run: ToolSession['run']) => () => ({ ...good(), begin: () => session({ run }) });
const reading = (parse: Tool['parse']) => () => ({ ...good(), parse });
const functioning = (read: ToolFunction['read']) => () => ({
  ...good(),
  function: {
    description: 'Reverses a text.',
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
    read,
  },
});
const sticky = /<reverse>([a-z]+)<\/reverse>/gu;
let shared = 0;
let made = 0;

/** Broken tools for each check. */
const fixtures: Record<string, readonly (() => Tool)[]> = {
  example: [
    () => ({ ...good(), example: 'reverse abc' }),
    () => ({ ...good(), instructions: '' }),
    reading((text) => (text.startsWith('<reverse>') ? { call: new Map() as never } : undefined)),
  ],
  'any-text': [
    reading((text) => (text.startsWith('<') ? { call: JSON.parse(text) as string } : undefined)),
    reading((text) => (text.startsWith('<reverse>') ? { malformed: `what is ${text}?` } : undefined)),
    reading((text) => (text.startsWith('<reverse>') ? good().parse(text) : ({} as never))),
  ],
  arguments: [
    functioning(({ text }) => ({ call: (text as string).trim() })),
    functioning(() => ({ call: undefined as never })),
    functioning(({ text }) => ({ malformed: `what is ${JSON.stringify(text)}?` })),
  ],
  'leaves-alone': [
    reading((text) => ({ call: text.slice(0, 20) })),
    reading((text) => (text.includes('tool') ? { call: '' } : good().parse(text))),
  ],
  swift: [
    reading((text) => {
      // Quadratic time, like a pattern that tries to match from every position.
      for (let at = 0; at < text.length; at += 1) if (text.slice(at).replaceAll('<', '').length > 1e9) break;
      return good().parse(text);
    }),
  ],
  repeatable: [
    reading((text) => {
      const word = sticky.exec(text)?.[1];
      return word === undefined ? undefined : { call: word };
    }),
  ],
  answers: [
    running((call) => {
      if (call === '') throw new Error('there is no text');
      return { output: 'cba' };
    }),
    running(() => 'cba' as never),
    running(() => Promise.reject(new Error('no'))),
    running((call) => ({ output: `\u001b[31m${call as string}\u001b[0m` })),
    running(() => ({ output: 'bye<|im_end|>' })),
    running(() => ({ output: '\u{1F3B2}'.slice(0, 1) })),
  ],
  deterministic: [
    running(() => ({ output: randomUUID() })),
    running(() => ({ output: String(performance.now()) })),
    () => {
      const number = (made += 1);
      return { ...good(), begin: () => session({ run: () => ({ output: `instance ${number}` }) }) };
    },
    () => {
      const one = session();
      return { ...good(), begin: () => one };
    },
    running(() => ({ output: String((shared += 1)) })),
  ],
  stops: [running(() => new Promise(() => undefined))],
  dispose: [
    () => {
      let open = true;
      const dispose = () => {
        if (!open) throw new Error('it is closed');
        open = false;
      };
      return { ...good(), begin: () => session({ dispose }) };
    },
    () => {
      let handle: { close(): void } | undefined = { close: () => undefined };
      const dispose = () => {
        (handle as { close(): void }).close();
        handle = undefined;
      };
      return { ...good(), dispose };
    },
  ],
  handles: [
    () => {
      const timer = setInterval(() => undefined, 3_600_000);
      leaks.push(timer);
      return good();
    },
  ],
};
const leaks: NodeJS.Timeout[] = [];

describe('the kit of tools', () => {
  it('finds nothing in a good tool, and calls that it must claim are tried too', async () => {
    expect(await toolKit.check(subject(good), { calls: ['<reverse></reverse>', '<reverse>xyz</reverse>'] })).toEqual(
      [],
    );
    const [finding] = await toolKit.check(subject(good), { calls: ['<reverse>'] });
    expect(finding).toMatchObject({ id: 'example' });
  });

  it('has broken tools for each check', () => {
    expect(['create', ...Object.keys(fixtures)].toSorted()).toEqual(toolKit.checks.map(({ id }) => id).toSorted());
  });

  const all = Object.entries(fixtures).flatMap(([id, made]) => made.map((create, number) => ({ id, number, create })));
  it.each(all)('$id catches its broken tool $number', async ({ id, create }) => {
    const findings = await toolKit.check(subject(create), {
      only: [id],
      calls: ['<reverse></reverse>'],
      texts: 50,
      secondsPerText: 0.05,
      secondsPerCall: 0.5,
    });
    for (const timer of leaks.splice(0)) clearInterval(timer);
    expect(findings[0]).toMatchObject({ id, severity: 'error' });
    expect(findings[0]?.message).not.toContain(unfinishedCheck);
  });

  it('lets an external tool answer as it likes', async () => {
    const create = running(() => ({ output: randomUUID() }));
    expect(await toolKit.check({ ...subject(create), contribution: { external: true } }, { texts: 50 })).toEqual([]);
  });

  it('reports a tool that cannot be created', async () => {
    const create = (): Tool => {
      throw new Error('no key');
    };
    expect(await toolKit.check({ create, options: {} })).toMatchObject([{ id: 'create', message: 'no key' }]);
  });
});

describe('toolKit.describe', () => {
  it('declares a test for each check, and those of broken things fail with their cause', async () => {
    const declared: (() => Promise<void>)[] = [];
    const broken = subject(() => ({ ...good(), example: 'reverse' }));
    toolKit.describe((_name, body) => declared.push(body), broken, { texts: 20, accept: ['swift'] });
    expect(declared).toHaveLength(toolKit.checks.length - 1);
    const outcomes = await Promise.allSettled(declared.map((body) => body()));
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(failed).toHaveLength(1);
    expect(String(failed[0]?.reason)).toMatch(/example: there are instructions[^]*Use one syntax/);
  });
});
