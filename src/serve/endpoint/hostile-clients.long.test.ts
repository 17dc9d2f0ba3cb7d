import { afterEach, describe, expect, it, vi } from 'vitest';

import { ask, endAll, received, requestText, serveSlowly } from './fixtures/raw-clients.js';

afterEach(endAll);

describe('a server of a policy', () => {
  it('probes whether a client that has closed its side is still there, and answers it', async () => {
    const { model, open } = await serveSlowly();
    // The answer takes longer than two probes.
    model.milliseconds = 5_000;
    const patient = await open();
    patient.end(requestText('/v1/completions', ask));
    const [head, ...rest] = (await received(patient)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK/);
    const chunks = rest.join('\r\n\r\n').replaceAll(/^[0-9a-f]+\r\n|\r\n(?:[0-9a-f]+\r\n)?/g, '');
    expect(chunks).toContain('"finish_reason":"length"');
  });

  it('lets streams that nobody reads rest, answers others, and ends them after a time', async () => {
    const { model, open, server } = await serveSlowly({ readerMilliseconds: 1500 });
    const body = { ...ask, stream: true, n: 128, max_tokens: 80_000, logprobs: 1 };
    const unread = await Promise.all([open(), open()]);
    for (const socket of unread) socket.pause().write(requestText('/v1/completions', body));
    await vi.waitFor(() => expect(model.asked.size).toBe(256), 30_000);
    const answer = await fetch(`${server.url}/completions`, { method: 'POST', body: JSON.stringify(ask) });
    expect(answer.status).toBe(200);
    await vi.waitFor(() => expect(new Set(model.released).size).toBeGreaterThanOrEqual(256), 50_000);
  });

  it('closes connections that send nothing, or only a part of a request', async () => {
    const { open } = await serveSlowly();
    const [silent, half] = [await open(), await open()];
    half.write('POST /v1/completions HTTP/1.1\r\nhost: localhost\r\n');
    const both = Promise.all([received(silent), received(half)]);
    expect((await both).map((text) => text.slice(0, 12))).toEqual(['HTTP/1.1 408', 'HTTP/1.1 408']);
  }, 30_000);
});
