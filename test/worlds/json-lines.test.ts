// Data comes through a pipe in pieces of any size, in any order, or not at all.
import { testHost } from '../../src/testing/test-host.js';
import { describe, expect, it } from 'vitest';

import { JsonLines } from '../../docs/guides/examples/slow-worlds/src/json-lines.js';

const call = { signal: new AbortController().signal };

/** A child that runs this code. `reply` writes text, and the code defines `answer`, which gets each question. */
async function start(code: string): Promise<JsonLines<object, unknown>> {
  const program = `
    const reply = (text) => process.stdout.write(text);
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));
    ${code}`;
  const child = await testHost().spawn(process.execPath, ['--eval', program]);
  return new JsonLines(child, (complaint) => new Error(`it ended: ${complaint}`));
}

describe('questions to a child process', () => {
  it('are answered in any order, each to its own caller', async () => {
    const child = await start(`
      const kept = [];
      function answer(question) {
        kept.push(question);
        if (kept.length === 3) for (const { id, text } of kept.reverse()) reply(JSON.stringify({ id, answer: text }) + '\\n');
      }`);
    const texts = ['one', 'two', 'three'];
    expect(await Promise.all(texts.map((text) => child.ask({ text }, call)))).toEqual(texts);
    await child.end();
  });

  it('have answers in pieces, several in one piece, and of ten megabytes', async () => {
    const child = await start(`
      async function answer({ id, text, length }) {
        if (text === undefined && length === undefined) return;
        if (length > 0) return reply(JSON.stringify({ id, answer: 'x'.repeat(length) }) + '\\n');
        const line = JSON.stringify({ id, answer: text }) + '\\n';
        // Half a character, too.
        const bytes = Buffer.from(line);
        for (let i = 0; i < bytes.length; i += 3) {
          process.stdout.write(bytes.subarray(i, i + 3));
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
        reply(JSON.stringify({ id: id + 1, answer: 1 }) + '\\n' + JSON.stringify({ id: id + 2, answer: 2 }) + '\\n');
      }`);
    const text = 'größer, \u2028 \u{1f600}';
    const asked = [child.ask({ text }, call), child.ask({}, call), child.ask({}, call)];
    expect(await Promise.all(asked)).toEqual([text, 1, 2]);
    const long = (await child.ask({ length: 10_000_000 }, call)) as string;
    expect(long.length).toBe(10_000_000);
    await child.end();
  });

  it('throw the last line of what the child complained of where it ends, now and later', async () => {
    const child = await start(`
      function answer() {
        console.error('loading');
        console.error('no memory left\\n');
        process.exit(3);
      }`);
    const asked = [child.ask({}, call), child.ask({}, call)];
    const ends = await Promise.allSettled(asked);
    expect(ends.map((end) => (end as PromiseRejectedResult).reason as Error)).toMatchObject([
      { message: 'it ended: no memory left' },
      { message: 'it ended: no memory left' },
    ]);
    await expect(child.ask({}, call)).rejects.toThrow('it ended: no memory left');
    await child.end();
  });

  it('throw what the child says is wrong, and end it where it writes no answer at all', async () => {
    const child = await start(`
      function answer({ id, bad }) {
        reply(bad ? 'loading the game ...\\n' : JSON.stringify({ id, error: 'no such door' }) + '\\n');
      }`);
    await expect(child.ask({}, call)).rejects.toThrow('no such door');
    await expect(child.ask({ bad: true }, call)).rejects.toThrow(
      'it ended: it wrote a line that is no answer: loading the game ...',
    );
    await child.end();
  });

  it('are given up at an abort, and an answer that comes after it is nobody’s', async () => {
    const child = await start(`
      let first;
      function answer({ id }) {
        if (first === undefined) return (first = id);
        for (const each of [first, id]) reply(JSON.stringify({ id: each, answer: each }) + '\\n');
      }`);
    const controller = new AbortController();
    const late = child.ask({}, controller);
    controller.abort(new Error('its time is up'));
    await expect(late).rejects.toThrow('its time is up');
    await expect(child.ask({}, controller)).rejects.toThrow('its time is up');
    expect(await child.ask({}, call)).toBe(2);
    await child.end();
  });
});
