import { request as httpRequest } from 'node:http';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { ask, endAll, received, requestText, serveSlowly } from './fixtures/raw-clients.js';

afterEach(endAll);

describe('a server of a policy', () => {
  it('ends the text of a client that is gone without a word', async () => {
    const { model, open } = await serveSlowly();
    model.milliseconds = 200;
    const socket = await open();
    socket.write(requestText('/v1/completions', { ...ask, max_tokens: 50_000 }));
    await vi.waitFor(() => expect(model.asked.size).toBe(1), 20_000);
    socket.destroy();
    await vi.waitFor(() => expect(model.released).toEqual([...model.asked]), 20_000);
  });

  it('answers a client that has closed its side', async () => {
    const { open } = await serveSlowly();
    const socket = await open();
    socket.end(requestText('/v1/completions', ask));
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*"finish_reason":"length"/s);
  });

  it('tells open streams that it stops, and new requests why they are refused', async () => {
    const { model, open, server } = await serveSlowly();
    model.milliseconds = 20;
    const stream = await open();
    stream.write(requestText('/v1/completions', { ...ask, stream: true, max_tokens: 80_000 }));
    const all = received(stream);
    await vi.waitFor(() => expect(model.asked.size).toBe(1), 20_000);
    const late = await open();
    const closed = server.close(1000);
    late.write(requestText('/v1/completions', ask));
    expect(await received(late)).toMatch(/^HTTP\/1\.1 503 .*"server_stopping"/s);
    const text = await all;
    expect(text).toMatch(/data: \{"error":\{"message":"this server has stopped","type":"server_error"/);
    expect(text).not.toContain('[DONE]');
    // The stream ends as a whole answer, not as a broken connection.
    expect(text.endsWith('0\r\n\r\n')).toBe(true);
    await closed;
  });

  it('closes the connection that waits longest when there are too many', async () => {
    const { model, open, server } = await serveSlowly({ mostConnections: 3 });
    model.milliseconds = 2000;
    const busy = await open();
    busy.write(requestText('/v1/completions', ask, 'connection: close\r\n'));
    const answered = received(busy);
    await vi.waitFor(() => expect(model.asked.size).toBe(1), 20_000);
    const idle = await open();
    const ended = new Promise((resolve) => idle.once('close', resolve));
    idle.resume().on('end', () => idle.end());
    const third = await open();
    const fourth = await open();
    await ended;
    expect([third.destroyed, fourth.destroyed]).toEqual([false, false]);
    expect(await answered).toContain('HTTP/1.1 200');
    expect((await fetch(`${server.url}/models`)).status).toBe(200);
  });

  it.each([
    ['//[', 404],
    ['/%zz', 400],
    ['/v1//models', 404],
    ['*', 400],
    ['/', 404],
    ['http://[', 400],
  ])('answers the path %s with %i', async (path, status) => {
    const { port } = await serveSlowly();
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = httpRequest({ port, path, method: 'GET' }, (response) => resolve(response.resume().statusCode));
      outgoing.on('error', reject).end();
    });
    expect(answer).toBe(status);
  });

  it('reads the name of the scheme of a key in any case', async () => {
    const { server } = await serveSlowly({ key: 'a-key-of-16-chars' });
    const status = async (authorization: string) =>
      (await fetch(`${server.url}/models`, { headers: { authorization } })).status;
    expect(await status('bearer a-key-of-16-chars')).toBe(200);
    expect(await status('BEARER  a-key-of-16-chars')).toBe(200);
    expect(await status('bearer A-KEY-OF-16-CHARS')).toBe(401);
    expect(await status('Basic a-key-of-16-chars')).toBe(401);
  });
});
