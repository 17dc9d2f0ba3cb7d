import { describe, expect, it } from 'vitest';

import {
  answer,
  type Behaviour,
  type HostileServer,
  hostileBehaviours,
  startHostileServer,
} from '../transfers/fixtures/hostile-server.js';
import { hubAccess } from './hub-access.js';
import { listModel } from './hub-listing.js';

const token = 'hf_SECRETSECRETSECRET';
const commit = 'c'.repeat(40);
const file = { type: 'file', path: 'config.json', size: 5, oid: 'a'.repeat(40) };
const model = { sha: commit, cardData: { license: 'mit' } };

/** A hub with these answers. */
const hub =
  (about: unknown, tree: unknown, link?: string): Behaviour =>
  (request, ...rest) => {
    const isTree = request.url?.includes('/tree/') === true;
    answer(isTree ? tree : about, 200, isTree && link !== undefined ? { link } : {})(request, ...rest);
  };

const list = (
  server: HostileServer,
  signal = AbortSignal.timeout(20_000),
  tell: (message: string) => void = () => {},
) => listModel(hubAccess({ HF_ENDPOINT: server.url, HF_TOKEN: token }, signal, tell), 'a/b');

describe('the listing of a hub', () => {
  it('has the files of the commit, and the hash of each', async () => {
    const large = { ...file, path: 'model.safetensors', lfs: { oid: 'b'.repeat(64), size: 9, pointerSize: 3 } };
    const server = await startHostileServer(hub(model, [file, large, { type: 'directory', path: 'x' }]));
    expect(await list(server)).toEqual({
      commit,
      license: 'mit',
      entries: [
        { path: 'config.json', bytes: 5, oid: file.oid },
        { path: 'model.safetensors', bytes: 9, oid: file.oid, sha256: 'b'.repeat(64) },
      ],
    });
  });

  it.each<[string, unknown, unknown, string]>([
    ['a page', '<html>', [], 'with no JSON: <html>'],
    ['null', null, [], 'with null, not an object'],
    ['no commit', {}, [], 'with sha: missing'],
    ['a number for a commit', { sha: 5 }, [], 'with sha: 5, not a text'],
    ['a path for a commit', { sha: '../../../evil' }, [], 'with sha: not a hash'],
    ['an escape for a commit', { sha: 'a\u001b[31mb' }, [], 'with sha: not a hash'],
    ['a text for a card', { ...model, cardData: 'mit' }, [], 'with cardData: "mit", not an object'],
    ['no list', model, null, 'with null, not a list'],
    ['an object for a list', model, { 0: file }, 'with an object, not a list'],
    ['null for a file', model, [file, null], 'with [1]: null, not an object'],
    ['null for a path', model, [{ ...file, path: null }], 'with [0].path: null, not a text'],
    ['a path for a hash', model, [{ ...file, oid: '../../x' }], 'with [0].oid: not a hash of 40 to 64 digits'],
    ['no text for a hash', model, [{ ...file, oid: '' }], 'with [0].oid: not a hash'],
    ['a number for a hash', model, [{ ...file, oid: 5 }], 'with [0].oid: 5, not a text'],
    ['a size below 0', model, [{ ...file, lfs: { oid: 'b'.repeat(64), size: -5 } }], 'with [0].lfs.size: -5'],
    ['a text for a size', model, [{ ...file, size: 'x' }], 'with [0].size: "x", not a number'],
    ['half a byte', model, [{ ...file, size: 1.5 }], 'with [0].size: 1.5, not a whole number'],
    ['null for a size', model, [{ ...file, size: null }], 'with [0].size: null, not a number'],
    ['a size that no disk has', model, [{ ...file, size: 1e18 }], 'with [0].size: 1000000000000000000, not'],
    ['a list for large files', model, [{ ...file, lfs: [] }], 'with [0].lfs: a list, not an object'],
  ])('is refused with the member if it has %s', async (_, about, tree, problem) => {
    const error = (await list(await startHostileServer(hub(about, tree))).catch((caught: unknown) => caught)) as Error;
    expect(error).toMatchObject({ code: 'AG_TRANSFER_FAILED', message: expect.stringContaining(problem) as string });
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+ answered \/api\/models\/a\/b\//);
  });

  it.each(['a body without an end', 'a gzip bomb', 'no HTTP', 'a redirect to itself', 'JSON that is too deep'])(
    'ends at %s',
    async (name) => {
      const server = await startHostileServer(hostileBehaviours[name]!);
      const abort = new AbortController();
      const work = list(server, abort.signal).catch((error: unknown) => error);
      // What may pass is repeated with waits.
      const timer = setTimeout(() => abort.abort(), 15_000);
      const error = (await work) as Error;
      clearTimeout(timer);
      expect(error).toMatchObject({ code: 'AG_TRANSFER_FAILED' });
    },
    30_000,
  );

  it('tells the user of a long wait', async () => {
    const server = await startHostileServer(answer({}, 429, { 'retry-after': '30' }));
    const [told, abort] = [[] as string[], new AbortController()];
    const tell = (message: string) => {
      told.push(message);
      abort.abort();
    };
    await expect(list(server, abort.signal, tell)).rejects.toMatchObject({ name: 'AbortError' });
    expect(told).toEqual([
      expect.stringContaining(`127.0.0.1:${server.port} is busy (status 429), and asks to wait 30 s`),
    ]);
  });

  it('ends if a hub lists files for ever', async () => {
    const server = await startHostileServer((request, response, body) =>
      hub(model, Array(5000).fill(file), `<http://127.0.0.1:${server.port}${request.url}>; rel="next"`)(
        request,
        response,
        body,
      ),
    );
    await expect(list(server)).rejects.toThrow('more than 100000 files');
  });

  it('gives the token to nobody else, also where a hub names the next page on another server', async () => {
    const other = await startHostileServer(answer([]));
    const server = await startHostileServer(hub(model, [file], `<http://localhost:${other.port}/steal>; rel="next"`));
    expect((await list(server)).entries).toHaveLength(1);
    expect(server.asked.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true);
    expect(other.asked.map(({ path }) => path)).toEqual(['/steal']);
    expect(JSON.stringify(other.asked)).not.toContain('SECRET');
  });
});
