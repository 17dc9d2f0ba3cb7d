import { describe, expect, it } from 'vitest';

import type { JsonLinesOptions, JsonLinesProcess } from '../contracts/host.js';
import { isAlive, ownIdentity } from './process-identity.js';
import { spawnJsonLines } from './spawn-json-lines.js';

const call = { signal: new AbortController().signal };
const { bootId } = ownIdentity();
const lives = (pid: unknown) => isAlive({ pid: Number(pid), startTime: null, bootId });

/**
 * A program that runs this code. `reply` writes text, and the code defines `answer`, which gets each question. What is
 * asked and answered is any JSON.
 */
function start(code: string, options: JsonLinesOptions = {}): Promise<JsonLinesProcess<object, unknown>> {
  const program = `
    const reply = (text) => process.stdout.write(text);
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));
    ${code}`;
  return spawnJsonLines(process.execPath, ['--eval', program], options);
}
/** The code of a program that answers each question with this text, after `{"id":7,` */
const answering = (rest: string) =>
  `const answer = ({ id }) => reply('{"id":' + id + ',' + ${JSON.stringify(rest)} + '}\\n')`;

/** The error of a question that fails. */
async function failureOf(asked: Promise<unknown>): Promise<Error & { code?: string }> {
  const [end] = await Promise.allSettled([asked]);
  if (end.status === 'fulfilled') throw new Error(`it was answered: ${JSON.stringify(end.value)}`);
  return end.reason as Error;
}

describe('questions to a program', () => {
  it('are answered in any order, each to its own caller', async () => {
    const program = await start(`
      const kept = [];
      function answer(question) {
        kept.push(question);
        if (kept.length === 3) for (const { id, text } of kept.reverse()) reply(JSON.stringify({ id, answer: text }) + '\\n');
      }`);
    const texts = ['one', 'two', 'three'];
    expect(await Promise.all(texts.map((text) => program.ask({ text }, call)))).toEqual(texts);
    await program.end();
  });

  it('may have answers in pieces, several in one piece, and answers of ten megabytes', async () => {
    const program = await start(`
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
    const asked = [program.ask({ text }, call), program.ask({}, call), program.ask({}, call)];
    expect(await Promise.all(asked)).toEqual([text, 1, 2]);
    const long = (await program.ask({ length: 10_000_000 }, call)) as string;
    expect(long.length).toBe(10_000_000);
    await program.end();
  });

  it('come in ASCII, so that readers that end a line at other separators find each on one line', async () => {
    const program = await start(`
      let lines = '';
      function answer() {}
      process.stdin.setEncoding('latin1').on('data', (text) => {
        lines += text;
        if (lines.endsWith('\\n')) reply(JSON.stringify({ id: 1, answer: lines }) + '\\n');
      });`);
    const text = 'größer\u0085\u2028\u2029\u{1f600}';
    expect(await program.ask({ text }, call)).toBe(
      String.raw`{"text":"gr\u00f6\u00dfer\u0085\u2028\u2029\ud83d\ude00","id":1}` + '\n',
    );
    await program.end();
  });

  it('may be answered with null, which is an answer like any other', async () => {
    const program = await start(answering('"answer":null'));
    expect(await program.ask({}, call)).toBe(null);
    await program.end();
  });

  it('fail alone if the program answers with an error', async () => {
    const program = await start(`
      const answer = ({ id, bad }) => reply(JSON.stringify(bad ? { id, error: 'the game has no such room' } : { id, answer: 1 }) + '\\n')`);
    expect((await failureOf(program.ask({ bad: true }, call))).message).toBe('the game has no such room');
    expect(await program.ask({}, call)).toBe(1);
    await program.end();
  });

  it('are given up at an abort, and a late answer reaches nobody', async () => {
    const program = await start(`
      let first;
      function answer({ id }) {
        if (first === undefined) return (first = id);
        for (const each of [first, id]) reply(JSON.stringify({ id: each, answer: each }) + '\\n');
      }`);
    const controller = new AbortController();
    const late = program.ask({}, controller);
    controller.abort(new Error('its time is up'));
    await expect(late).rejects.toThrow('its time is up');
    await expect(program.ask({}, controller)).rejects.toThrow('its time is up');
    expect(await program.ask({}, call)).toBe(2);
    await program.end();
  });

  it('fail after the time that an answer may take, with what the program printed', async () => {
    const program = await start(`function answer() { console.error('waiting for the licence server') }`, {
      seconds: 1,
    });
    const { message } = await failureOf(program.ask({}, call));
    expect(message).toMatch(
      /^the program `.*node` did not answer within 1 s\. It printed: waiting for the licence server$/,
    );
    await program.end();
  });
});

describe('a program that ends', () => {
  it('fails every question with its exit code and what it printed last, now and later', async () => {
    const program = await start(`
      function answer() {
        console.error('loading');
        console.error('no memory left\\n');
        process.exit(3);
      }`);
    const failures = await Promise.all([program.ask({}, call), program.ask({}, call)].map(failureOf));
    for (const failure of [...failures, await failureOf(program.ask({}, call))]) {
      expect(failure.message).toMatch(/^the program `.*node` ended with code 3\. It printed: no memory left$/);
      expect(failure.code).toBeUndefined();
    }
    await program.end();
  });

  it('is quoted with the error of a stack trace, not with its last line', async () => {
    const javascript = await start(`function answer() { throw new Error('the map has no exit') }`);
    expect((await failureOf(javascript.ask({}, call))).message).toContain('It printed: Error: the map has no exit');
    const java = await start(`
      function answer() {
        console.error('Exception in thread "main" java.lang.IllegalStateException: no world\\n\\tat World.open(World.java:7)');
        process.exit(1);
      }`);
    expect((await failureOf(java.ask({}, call))).message).toContain('IllegalStateException: no world');
  });

  it('is named with the signal that killed it, and with the fact that it printed nothing', async () => {
    const program = await start(`const answer = () => process.kill(process.pid, 'SIGKILL')`);
    expect((await failureOf(program.ask({}, call))).message).toMatch(/ended with SIGKILL\. It printed nothing/);
  });

  it('stops the run if several episodes share it', async () => {
    const program = await start('const answer = () => process.exit(1)', { shared: true });
    expect((await failureOf(program.ask({}, call))).code).toBe('UNAVAILABLE');
  });

  // Red without the limit in `spawn-json-lines.ts`: the grandchild holds the pipes for a minute.
  it('fails its questions although a process that it started still holds its pipes', { timeout: 20_000 }, async () => {
    const program = await start(`
      function answer() {
        require('node:child_process').spawn('sleep', ['60'], { stdio: 'inherit', detached: true });
        process.exit(4);
      }`);
    expect((await failureOf(program.ask({}, call))).message).toContain('ended with code 4');
    await program.end();
  });
});

describe('a program that breaks the rules', () => {
  it.each([
    ['loading the game ...'],
    ['null'],
    ['7'],
    ['[]'],
    ['{"id":1}'],
    ['{"id":1,"error":7}'],
    ['{"id":1,"answer":2,"error":"both"}'],
    ['{"id":2,"answer":2}'],
    ['{"id":"1","answer":2}'],
    ['{"answer":2}'],
  ])('is killed, and named with its line: %s', async (line) => {
    const program = await start(`const answer = () => reply(${JSON.stringify(`${line}\n`)})`);
    const { message } = await failureOf(program.ask({}, call));
    expect(message).toContain(`wrote a line that answers no question: ${line}. Print messages to standard error.`);
    await program.end();
  });

  it('is killed when a line is longer than it may be, before the line has ended', { timeout: 20_000 }, async () => {
    const program = await start(
      `
      function answer({ id, pid }) {
        if (pid) return reply(JSON.stringify({ id, answer: process.pid }) + '\\n');
        setInterval(() => reply('x'.repeat(1000)), 1);
      }`,
      { maximumLine: 20_000 },
    );
    const pid = await program.ask({ pid: true }, call);
    const { message } = await failureOf(program.ask({}, call));
    expect(message).toMatch(/wrote a line of more than 20000 characters\./);
    await program.end();
    expect(lives(pid)).toBe(false);
  });
});

it('a program is gone when `end` returns, and can be ended twice', async () => {
  const program = await start(`const answer = ({ id }) => reply(JSON.stringify({ id, answer: process.pid }) + '\\n')`);
  const pid = await program.ask({}, call);
  expect(lives(pid)).toBe(true);
  await Promise.all([program.end(), program.end()]);
  expect(lives(pid)).toBe(false);
  expect((await failureOf(program.ask({}, call))).message).toContain('ended with SIGKILL');
});

it('a program that does not exist is named', async () => {
  await expect(spawnJsonLines('no-such-program')).rejects.toThrow('no-such-program');
});
