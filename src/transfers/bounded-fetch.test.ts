import { describe, expect, it } from 'vitest';

import type { WireFailure, WireLimits } from '../contracts/wire.js';
import { boundedFetch } from './bounded-fetch.js';
import { answer, hostileBehaviours, startHostileServer } from './fixtures/hostile-server.js';

const failureOf = (work: Promise<unknown>): Promise<WireFailure> =>
  work.then(
    () => Promise.reject(new Error('it answered')),
    (error: unknown) => error as WireFailure,
  );

const limits: WireLimits = { mostBytes: 2 ** 21 };

const kinds: { readonly [name: string]: string } = {
  ...{ never: 'late', 'a head without a body': 'late', 'a body of one byte at a time': 'late' },
  ...{ 'headers one at a time': 'late', 'preliminary answers for ever': 'late', 'a closed connection': 'broken' },
  ...{ 'a body without an end': 'too-large', 'a complaint without an end': 'too-large', 'a gzip bomb': 'too-large' },
  ...{
    'no gzip where it says so': 'malformed',
    'an unknown encoding': 'malformed',
    'an encoding that every object has': 'malformed',
    'no HTTP': 'malformed',
  },
  ...{ 'half a body': 'broken', 'a negative length': 'malformed', 'a status that does not exist': 'malformed' },
  ...{ 'another protocol': 'malformed', 'too many headers': 'malformed', 'JSON that is too deep': 'malformed' },
  ...{ 'a redirect to itself': 'redirect', 'a redirect to a file': 'redirect', 'a redirect to nowhere': 'redirect' },
};

describe('a fetch with limits', () => {
  it('answers as the built-in fetch does', async () => {
    const server = await startHostileServer(answer({ a: 1 }, 201, { 'x-more': 'yes' }));
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"b":2}' };
    const response = await boundedFetch(`${server.url}/path?q=1`, init);
    expect([response.status, response.ok, response.url]).toEqual([201, true, `${server.url}/path?q=1`]);
    expect(response.headers.get('x-more')).toBe('yes');
    expect(await response.json()).toEqual({ a: 1 });
    expect(server.asked[0]).toMatchObject({ method: 'POST', path: '/path?q=1', headers: init.headers });
    expect(server.asked[0]?.body.toString()).toBe('{"b":2}');
    // Some servers refuse what browsers send.
    expect(Object.keys(server.asked[0]?.headers ?? {}).filter((name) => name.startsWith('sec-'))).toEqual([]);
  });

  it.each<[string, NonNullable<RequestInit['body']>]>([
    ['bytes', new TextEncoder().encode('content')],
    ['a blob', new Blob(['con', 'tent'])],
    ['a stream', new Blob(['content']).stream()],
    ['a form', new URLSearchParams('content')],
  ])('sends %s', async (_, body) => {
    const server = await startHostileServer(answer({}));
    await boundedFetch(server.url, { method: 'PUT', body });
    expect(server.asked[0]?.body.toString()).toMatch(/^content=?$/);
  });

  it('has a kind of failure for each behaviour of a hostile server', () => {
    expect(Object.keys(kinds).toSorted()).toEqual(Object.keys(hostileBehaviours).toSorted());
  });

  it.each(Object.entries(kinds))('ends at %s with a failure that is %s', async (name, kind) => {
    const server = await startHostileServer(hostileBehaviours[name]!);
    const begin = performance.now();
    const failure = await failureOf(
      boundedFetch(`${server.url}/x`, {}, { ...limits, totalSeconds: kind === 'late' ? 0.5 : 10 }),
    );
    expect(failure).toMatchObject({ name: 'WireFailure', kind });
    expect(failure.message).toContain(`127.0.0.1:${server.port}`);
    expect(performance.now() - begin).toBeLessThan(10_000);
    // A bomb is stopped while it is read: 16 MiB of blanks are 16 kB.
    expect(server.sent()).toBeLessThan(2 ** 26);
    if (kind === 'redirect') expect(server.asked.length).toBeLessThan(8);
  });

  it('takes a large answer inside the limit, also if it is packed', async () => {
    const server = await startHostileServer(answer(JSON.stringify('x'.repeat(2 ** 20))));
    expect(await (await boundedFetch(server.url, {}, limits)).json()).toHaveLength(2 ** 20);
  });

  it('is interrupted at once, before and during the body', async () => {
    for (const name of ['never', 'a body of one byte at a time']) {
      const server = await startHostileServer(hostileBehaviours[name]!);
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error('enough')), 100);
      await expect(boundedFetch(server.url, { signal: abort.signal })).rejects.toThrow('enough');
      await expect(boundedFetch(server.url, { signal: abort.signal })).rejects.toThrow('enough');
    }
  });

  it('says that a server is not there, and refuses other addresses', async () => {
    const server = await startHostileServer(answer({}));
    await server.close();
    expect(await failureOf(boundedFetch(server.url))).toMatchObject({
      kind: 'unreachable',
      message: `127.0.0.1:${server.port} cannot be reached (ECONNREFUSED)`,
    });
    for (const url of ['file:///etc/passwd', 'data:text/plain,x', 'nothing']) {
      expect(await failureOf(boundedFetch(url))).toMatchObject({ kind: 'address' });
    }
  });
});

const key = 'sk-Secret/with+signs&"quotes"';

describe('the secrets of a request', () => {
  const echoes: { readonly [name: string]: (key: string) => string } = {
    'as they are': (text) => `key ${text}`,
    'in JSON': (text) => JSON.stringify({ error: text }),
    'in an address': (text) => `?key=${encodeURIComponent(text)}`,
    'in an address in small letters': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
    'in base64': (text) => Buffer.from(text).toString('base64'),
    'in a pair': (text) => Buffer.from(`me:${text}`).toString('base64'),
    'with every letter escaped': (text) =>
      `{"error":"${[...text].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')}"}`,
  };

  it.each(Object.entries(echoes))('are cut out of an answer that repeats them %s', async (_, echo) => {
    const said = `${echo(key)} end`;
    const server = await startHostileServer((request, response) => {
      response
        .writeHead(request.url === '/good' ? 200 : 401, { 'x-echo': said.replaceAll(/[^\x20-\x7e]/g, '') })
        .end(said);
    });
    const headers = [
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
      { Authorization: `Basic ${btoa(`me:${key}`)}` },
    ];
    for (const path of ['good', 'bad']) {
      for (const header of headers) {
        const response = await boundedFetch(
          `${server.url}/${path}`,
          { headers: header as Record<string, string> },
          { secrets: [`me:${key}`] },
        );
        const text = await response.text();
        expect(text).toContain('***');
        const shown = `${text} ${response.headers.get('x-echo')}`;
        expect(shown).not.toContain('Secret');
        expect(text).not.toContain(said.slice(4, -8));
        let decoded: unknown;
        try {
          decoded = JSON.parse(text.slice(0, -4));
        } catch {
          continue;
        }
        expect(JSON.stringify(decoded)).not.toContain('Secret');
      }
    }
  });

  it('are the password and the keys of an address, too', async () => {
    const server = await startHostileServer((request, response) =>
      response.end(`${request.url} ${request.headers.authorization}`),
    );
    const url = `${server.url.replace('//', '//me:pass%40word@')}/x?api_key=letmeinnow&model=tiny`;
    const text = await (await boundedFetch(url)).text();
    expect(text).toBe('/x?api_key=***&model=tiny Basic ***');
  });

  it('stay in the data if they are short, and are cut out of complaints', async () => {
    const server = await startHostileServer((request, response) =>
      response.writeHead(Number(request.url?.slice(1))).end('none of it'),
    );
    const headers = { authorization: 'Bearer none' };
    expect(await (await boundedFetch(`${server.url}/200`, { headers })).text()).toBe('none of it');
    expect(await (await boundedFetch(`${server.url}/400`, { headers })).text()).toBe('*** of it');
  });

  it('are not in the message of a failure', async () => {
    const server = await startHostileServer((_, response) =>
      response.writeHead(302, { location: `http://localhost:1/${key}` }).end(),
    );
    const failure = await failureOf(boundedFetch(server.url, { headers: { 'x-api-key': key } }));
    expect(failure.kind).toBe('redirect');
    expect(failure.message).not.toContain('Secret');
  });
});

describe('a redirect', () => {
  /** A server that sends everything to another one, and that other one. */
  async function two(status: number) {
    const other = await startHostileServer(answer({ who: 'other' }));
    const first = await startHostileServer((request, response) =>
      request.url === '/here'
        ? response.end('{"who":"same"}')
        : response
            .writeHead(status, {
              location: `${request.url === '/same' ? '/here' : `http://localhost:${other.port}/there`}`,
            })
            .end(),
    );
    return { first, other };
  }
  const secret = {
    authorization: 'Bearer sk-secret-key',
    'x-api-key': 'sk-secret-key',
    cookie: 'a=sk-secret-key',
    'x-plain': 'yes',
  };

  it('on the same server is followed, with what the request has', async () => {
    const { first } = await two(307);
    const init = { method: 'POST', headers: secret, body: 'words' };
    expect(await (await boundedFetch(`${first.url}/same`, init)).json()).toEqual({ who: 'same' });
    expect(first.asked[1]).toMatchObject({ method: 'POST', path: '/here', headers: secret });
    expect(first.asked[1]?.body.toString()).toBe('words');
  });

  it.each([301, 302, 303, 307, 308])('to another server (%i) takes no secret along', async (status) => {
    const { first, other } = await two(status);
    const response = await boundedFetch(`${first.url}/x`, { headers: secret }, { redirects: 'without-secrets' });
    expect(await response.json()).toEqual({ who: 'other' });
    expect(other.asked[0]?.headers).toMatchObject({ 'x-plain': 'yes' });
    expect(JSON.stringify(other.asked[0])).not.toContain('secret');
  });

  it.each([301, 302, 303, 307, 308])('to another server (%i) never takes a body along', async (status) => {
    const { first, other } = await two(status);
    for (const redirects of ['without-secrets', 'same-origin', 'refuse'] as const) {
      const sent = boundedFetch(`${first.url}/x`, { method: 'POST', headers: secret, body: 'words' }, { redirects });
      expect(await failureOf(sent)).toMatchObject({ kind: 'redirect' });
    }
    expect(other.asked).toEqual([]);
  });

  it('to another server is refused where the caller does not allow it, and never takes a key in the address along', async () => {
    const { first, other } = await two(302);
    expect((await failureOf(boundedFetch(`${first.url}/x`, { headers: secret }))).message).toContain(
      `localhost:${other.port}/there`,
    );
    const echo = await startHostileServer((request, response) =>
      response.writeHead(302, { location: `http://localhost:${other.port}${request.url}` }).end(),
    );
    const failure = await failureOf(
      boundedFetch(`${echo.url}/?api_key=letmeinnow`, {}, { redirects: 'without-secrets' }),
    );
    expect(failure.message).toContain('would get a secret');
    expect(other.asked).toEqual([]);
  });
});

describe('a wait that a server asks for', () => {
  it.each<[string, Record<string, string>, string | null]>([
    ['seconds', { 'retry-after': '7' }, '7'],
    ['parts of a second', { 'retry-after': '0.25' }, '0.25'],
    ['a day', { 'retry-after': '86400' }, '60'],
    ['a number that no timer has', { 'retry-after': '1e308' }, '60'],
    ['a number that is infinite', { 'retry-after': '9'.repeat(400) }, '60'],
    ['less than nothing', { 'retry-after': '-5' }, null],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, '1.5'],
    ['ten minutes of milliseconds', { 'retry-after-ms': '600000' }, '60'],
    ['a date that was', { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }, null],
    ['the year 9999', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, '60'],
    ['words', { 'retry-after': 'soon' }, null],
    ['a range', { 'retry-after': '12-5' }, null],
    ['nothing', { 'retry-after': '' }, null],
    ['words for milliseconds', { 'retry-after-ms': 'NaN', 'retry-after': '2' }, '2'],
  ])('of %s is read', async (_, headers, seconds) => {
    const server = await startHostileServer((__, response) => response.writeHead(429, headers).end());
    const response = await boundedFetch(server.url);
    expect(response.headers.get('retry-after')).toBe(seconds);
    expect(response.headers.has('retry-after-ms')).toBe(false);
  });
});
