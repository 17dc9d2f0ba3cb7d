import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { fetchFile } from './fetch-file.js';

const content = Buffer.from('a file that somebody wants to have');
const hash = { algorithm: 'sha256', value: createHash('sha256').update(content).digest('hex') } as const;
const signal = new AbortController().signal;

let answer: RequestListener;
let server: Server;
let url = '';
let path = '';
let asked = 0;
beforeEach(async () => {
  asked = 0;
  server = createServer((request, response) => {
    asked += 1;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/file?signature=secret`;
  path = join(mkdtempSync(join(tmpdir(), 'agentgym-fetch-')), 'file');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});
const fetched = (stallSeconds?: number) =>
  fetchFile({ url, bytes: content.length, hash }, path, {
    signal,
    ...(stallSeconds !== undefined && { stallSeconds }),
  });

describe('fetchFile', () => {
  it('keeps a file that is there with the right hash, and asks nobody', async () => {
    writeFileSync(path, content);
    expect(await fetched()).toBe('present');
    expect(asked).toBe(0);
    const value = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
    const download = { url, bytes: content.length, hash: { algorithm: 'git-blob', value } } as const;
    expect(await fetchFile(download, path, { signal })).toBe('present');
  });

  it('replaces a file with other content', async () => {
    writeFileSync(path, content.toString().toUpperCase());
    answer = (_, response) => void response.end(content);
    expect(await fetched()).toBe('transferred');
    expect(readFileSync(path)).toEqual(content);
  });

  // Goes red without the deadline in `openRequest`.
  it('does not wait for ever for bytes that do not come', async () => {
    answer = (request, response) => {
      if (asked > 1) return void response.writeHead(206).end(content.subarray(10));
      expect(request.headers.range).toBeUndefined();
      response.writeHead(200).write(content.subarray(0, 10));
    };
    expect(await fetched(0.2)).toBe('transferred');
    expect(asked).toBe(2);
    expect(readFileSync(path)).toEqual(content);
  });

  it('stops an answer that does not end, and shows no part of the address that may be secret', async () => {
    answer = (_, response) => {
      // A callback without a pause could keep the reader, which is in this process, from its turn.
      const more = () => void (response.destroyed || response.write(Buffer.alloc(2 ** 16), () => setImmediate(more)));
      more();
    };
    const error = (await fetched().catch((caught: unknown) => caught)) as Error;
    expect(error).toMatchObject({ code: 'AG_TRANSFER_DAMAGED' });
    expect(error.message).not.toContain('secret');
    expect(existsSync(path)).toBe(false);
  });

  it('takes an empty file', async () => {
    answer = (_, response) => void response.end();
    const value = createHash('sha256').digest('hex');
    await fetchFile({ url, bytes: 0, hash: { algorithm: 'sha256', value } }, path, { signal });
    expect(readFileSync(path)).toHaveLength(0);
  });

  // Goes red if an attempt that begins anew counts as progress.
  it('gives up on a server without ranges that cuts each answer, also if each goes a byte further', async () => {
    for (const more of [0, 1]) {
      asked = 0;
      answer = (_, response) => {
        const length = Math.min(content.length - 1, 5 + more * asked);
        response.writeHead(200, { 'retry-after': '0' }).write(content.subarray(0, length), () => response.destroy());
      };
      await expect(fetched()).rejects.toMatchObject({ code: 'AG_TRANSFER_FAILED' });
      expect(asked).toBeLessThan(50);
    }
  }, 60_000);

  it('ends if next to nothing comes, and keeps what came', async () => {
    answer = (request, response) => {
      const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
      let at = from;
      response.writeHead(from > 0 ? 206 : 200);
      const timer = setInterval(() => {
        if (response.destroyed || at >= from + 2) return clearInterval(timer);
        response.write(content.subarray(at, (at += 1)));
      }, 50);
    };
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('enough')), 1500);
    const work = fetchFile({ url, bytes: content.length, hash }, path, { signal: abort.signal, stallSeconds: 0.2 });
    await expect(work).rejects.toThrow();
    // Each attempt ended although bytes came, and the next one went on.
    expect(asked).toBeGreaterThan(1);
    expect(statSync(`${path}.${hash.value.slice(0, 16)}.incomplete`).size).toBeGreaterThan(2);
  });

  it('writes through no link that somebody planted, and takes none for a file', async () => {
    const outside = `${path}.outside`;
    const incomplete = `${path}.${hash.value.slice(0, 16)}.incomplete`;
    answer = (_, response) => void response.end(content);
    writeFileSync(outside, 'precious');
    symlinkSync(outside, incomplete);
    expect(await fetched()).toBe('transferred');
    expect(readFileSync(outside, 'utf8')).toBe('precious');
    expect(readFileSync(path)).toEqual(content);
    // A link to the right content may lead to other content later.
    writeFileSync(outside, content);
    rmSync(path);
    symlinkSync(outside, path);
    expect(await fetched()).toBe('transferred');
    expect(lstatSync(path).isFile()).toBe(true);
  });

  it('says which file cannot be written', async () => {
    answer = (_, response) => void response.end(content);
    path = join(path, 'no-folder', 'file');
    await expect(fetched()).rejects.toMatchObject({
      code: 'AG_FILE_FAILED',
      message: expect.stringContaining('no such file or directory (ENOENT)') as string,
    });
  });

  it.each([
    ['to nowhere', { location: 'http://[' }],
    ['to a file', { location: 'file:///etc/passwd' }],
  ])('follows no redirect %s', async (_, headers) => {
    answer = (__, response) => void response.writeHead(302, headers).end();
    await expect(fetched()).rejects.toMatchObject({ code: 'AG_TRANSFER_FAILED' });
  });
});
