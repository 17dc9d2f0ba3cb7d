import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
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
      const more = () => void (response.destroyed || response.write(Buffer.alloc(2 ** 16), more));
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
});
