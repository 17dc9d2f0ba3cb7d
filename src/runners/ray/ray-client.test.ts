import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';

import { hostileBehaviours, startHostileServer } from '../../transfers/fixtures/hostile-server.js';
import { waitTeller } from '../../transfers/tell-waits.js';
import { RayHead } from './fixtures/ray-head.js';
import { rayAddress } from './ray-address.js';
import { type JobRequest, RayClient } from './ray-client.js';

let head: RayHead;
beforeEach(async () => {
  head = await new RayHead().open();
});
afterEach(() => head.dispose());

const never = new AbortController().signal;
const told: string[] = [];
const hear = waitTeller((message) => told.push(message));
const client = (variables = {}, outage = 2000) => new RayClient(rayAddress(head.url, false, variables), outage, hear);
const request = (entrypoint: string, submission_id = 'agentgym-1'): JobRequest => ({
  entrypoint,
  submission_id,
  runtime_env: { env_vars: {} },
  metadata: {},
  entrypoint_num_cpus: 1,
  entrypoint_num_gpus: 0,
});

/** The answer of a head with one living node. */
const nodes = (resources_total: object | null) => ({
  data: { result: { result: [resources_total && { state: 'ALIVE', resources_total }] } },
});

async function tailOf(id: string): Promise<string> {
  let text = '';
  for await (const part of client().tail(id, never)) text += part;
  return text;
}

describe('the client of Ray', () => {
  it('uploads once, submits once, follows to the end, and deletes', async () => {
    await client().checkVersion(never);
    expect(await client().upload('_ray_pkg_0a.zip', Buffer.from('zip'), never)).toBe('gcs://_ray_pkg_0a.zip');
    await client().upload('_ray_pkg_0a.zip', Buffer.from('zip'), never);
    expect(head.requests.filter((line) => line.startsWith('PUT'))).toHaveLength(1);
    // A second submission of an id is answered with 500, so it must not be made.
    const submitted = request('for i in 1 2 3; do echo line $i; sleep 0.05; done');
    await client().submit(submitted, never);
    await client().submit(submitted, never);
    expect(await tailOf('agentgym-1')).toContain('line 1\nline 2\nline 3\n');
    expect(await client().job('agentgym-1', never)).toMatchObject({ status: 'SUCCEEDED' });
    await client().delete('agentgym-1', never);
    expect(await client().job('agentgym-1', never)).toBeUndefined();
  });

  it('submits once if the answer to a submission is lost', async () => {
    let lost = 0;
    head.dropsAnswer = ({ method }) => method === 'POST' && lost++ === 0;
    await client().submit(request('true'), never);
    expect(lost).toBe(1);
    expect(head.jobs.size).toBe(1);
  });

  it('waits while the head is away, and gives up after the outage', async () => {
    await head.close();
    setTimeout(() => void head.open(), 400);
    expect(await client().job('none', never)).toBeUndefined();
    await head.close();
    await expect(client({}, 300).job('none', never)).rejects.toMatchObject({
      code: 'AG_RUNNER_UNAVAILABLE',
      message: expect.stringMatching(
        /cannot be reached \(ECONNREFUSED\); it was asked 2 times in 0\.\d s\.$/,
      ) as string,
    });
    await expect(client({}, 1000).job('none', never)).rejects.toThrow(/; it was asked 3 times in 0\.\d s\.$/);
  });

  it('waits as long as Retry-After says, and otherwise longer each time', async () => {
    const times: number[] = [];
    head.fault = () => {
      times.push(performance.now());
      if (times.length === 1) return { status: 429, text: 'slow down', headers: { 'Retry-After': '0.7' } };
      return times.length === 2 ? { status: 503, text: 'later' } : undefined;
    };
    await client({}, 5000).job('none', never);
    expect(times[1]! - times[0]!).toBeGreaterThan(650);
    expect(times[2]! - times[1]!).toBeGreaterThan(400);
  });

  it('tells the user of a long wait, and does not begin one that ends after the outage', async () => {
    head.fault = () => ({ status: 429, text: 'slow down', headers: { 'Retry-After': '3600' } });
    await expect(client().job('none', never)).rejects.toThrow('answered 429: slow down; it was asked once.');
    expect(told).toEqual([expect.stringMatching(/ is busy \(status 429\), and asks to wait 60 s or longer\./)]);
  });

  describe('following a job', () => {
    /** Follows on a server that does this with the connection. */
    async function follow(behaviour: (socket: WebSocket) => void, autoPong = true): Promise<string> {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const sockets = new WebSocketServer({ server, autoPong });
      onTestFinished(() => {
        for (const socket of sockets.clients) socket.terminate();
        server.close();
      });
      sockets.on('connection', behaviour);
      const { port } = server.address() as AddressInfo;
      const one = new RayClient(rayAddress(`http://127.0.0.1:${port}`, false, {}), 2000, hear);
      let text = '';
      for await (const part of one.tail('a', never)) text += part;
      return text;
    }

    it('ends at a message that no head of Ray sends', async () => {
      const far = follow((socket) => socket.send('x'.repeat(2 ** 23)));
      await expect(far).rejects.toMatchObject({
        code: 'AG_RUNNER_UNAVAILABLE',
        message: expect.stringContaining('sent more than 4 MiB of output at a time') as string,
      });
    });

    it.each([
      ['ends the connection of a head that answers no ping', false],
      ['keeps that of a head that is silent', true],
    ])('%s', async (_, autoPong) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      const behaviour = async (socket: WebSocket) => {
        const gone = once(socket, 'close');
        socket.send('begun');
        for (let minutes = 0; minutes < 5 && socket.readyState === socket.OPEN; minutes += 1) {
          // When the other side answers, it has read what came before, however busy the machine is.
          const read = once(socket, 'pong');
          socket.ping();
          await Promise.race([read, gone]);
          const asked = once(socket, 'ping');
          vi.advanceTimersByTime(60_000);
          await Promise.race([asked, gone]);
        }
        socket.send(', lived');
        socket.close();
      };
      expect(await follow((socket) => void behaviour(socket), autoPong)).toBe(autoPong ? 'begun, lived' : 'begun');
    });
  });

  it('sends the token, and names the cure where it is refused', async () => {
    head.token = 'secret';
    await client({ RAY_AUTH_TOKEN: 'secret' }).checkVersion(never);
    const refused = client({ RAY_AUTH_TOKEN: 'wrong' }).checkVersion(never);
    await expect(refused).rejects.toMatchObject({ code: 'AG_RUNNER_UNAVAILABLE', exitCode: 2 });
    await expect(refused).rejects.not.toThrow(/wrong/);
  });

  it.each<[string, (client: RayClient) => Promise<unknown>, unknown, RegExp]>([
    ['a list for the version', (one) => one.checkVersion(never), [], /\/api\/version with a list, not an object/],
    ['a number for the version', (one) => one.checkVersion(never), { version: 4 }, /version: 4, not a text/],
    ['no nodes', (one) => one.resources(never), {}, /\/api\/v0\/nodes with data: missing/],
    ['null for a node', (one) => one.resources(never), nodes(null), /result\[0\]: null, not an object/],
    ['a text for cores', (one) => one.resources(never), nodes({ CPU: 'x' }), /resources_total\.CPU: "x", not a number/],
    ['cores below 0', (one) => one.resources(never), nodes({ CPU: -1 }), /CPU: -1, not a number from 0/],
    ['more cores than there are', (one) => one.resources(never), nodes({ CPU: 1e12 }), /CPU: 1000000000000, not/],
    ['null for a job', (one) => one.job('a', never), null, /\/api\/jobs\/a with null, not an object/],
    ['a state that is none', (one) => one.job('a', never), { status: 'WEIRD' }, /status: no state of a job/],
    ['an object for a message', (one) => one.job('a', never), { status: 'FAILED', message: {} }, /message: an object/],
    [
      'a text for a code',
      (one) => one.job('a', never),
      { status: 'FAILED', driver_exit_code: '1' },
      /driver_exit_code/,
    ],
    ['JSON that is too deep', (one) => one.job('a', never), '['.repeat(1e5), /JSON that is too deep/],
  ])('tells the member that makes no sense: %s', async (_, ask, answer, message) => {
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    head.fault = () => ({ status: 200, text });
    const error = await ask(client({}, 300)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'AG_RUNNER_UNAVAILABLE',
      message: expect.stringMatching(message) as string,
    });
  });

  it('ends at an answer without an end, and shows no token that is repeated', async () => {
    const server = await startHostileServer(hostileBehaviours['a complaint without an end']!);
    const address = rayAddress(server.url, false, { RAY_AUTH_TOKEN: 'tok3n-SECRET' });
    const failed = { code: 'AG_RUNNER_UNAVAILABLE', message: expect.stringContaining('more than 16 MiB') as string };
    await expect(new RayClient(address, 2000, hear).job('a', never)).rejects.toMatchObject(failed);
    head.fault = ({ headers }) => ({ status: 400, text: `bad ${headers.authorization}` });
    const shown = await client({ RAY_AUTH_TOKEN: 'tok3n-SECRET' }, 300)
      .resources(never)
      .catch((error: unknown) => String(error));
    expect(shown).toContain('400: bad Bearer ***');
  });

  it.each([
    ['a page', { status: 200, text: '<html>hello</html>' }, /no JSON/],
    ['another version of the API', { status: 200, text: '{"version":"5","ray_version":"3.0"}' }, /speaks version 5/],
    ['a missing path', { status: 404, text: 'nothing here' }, /404: nothing here/],
  ])('refuses %s', async (_, answer, message) => {
    head.fault = () => answer;
    await expect(client().checkVersion(never)).rejects.toThrow(message);
  });
});

describe('the address of a head', () => {
  it('keeps a password and a token out of what is shown', () => {
    const { headers, url } = rayAddress('https://me:pass@ray.example/x/', false, { RAY_AUTH_TOKEN: 'token' });
    expect(url).toBe('https://ray.example/x');
    expect(headers).toEqual({
      Authorization: `Basic ${Buffer.from('me:pass').toString('base64')}`,
      'X-Ray-Authorization': 'Bearer token',
    });
  });

  it.each([
    ['', /needs the address/],
    ['ray://secret@there:10001', /not an http or https URL/],
    ['http://secret:pass@there:8265', /another machine/],
  ])('refuses %j without repeating it', (text, message) => {
    const RAY_AUTH_TOKEN_PATH = join(mkdtempSync(join(tmpdir(), 'agentgym-token-')), 'token');
    writeFileSync(RAY_AUTH_TOKEN_PATH, '');
    expect(() => rayAddress(text, false, { RAY_AUTH_TOKEN_PATH })).toThrow(message);
    expect(() => rayAddress(text, false, { RAY_AUTH_TOKEN_PATH })).not.toThrow(/secret/);
  });

  it.skipIf(process.platform === 'win32')('waits for no writer of a pipe that shall be the token', () => {
    const RAY_AUTH_TOKEN_PATH = join(mkdtempSync(join(tmpdir(), 'agentgym-token-')), 'pipe');
    execFileSync('mkfifo', [RAY_AUTH_TOKEN_PATH]);
    expect(() => rayAddress('http://there:8265', false, { RAY_AUTH_TOKEN_PATH })).toThrow(/cannot be read from .*pipe/);
  });

  it('accepts another machine with a token, or if it is told to', () => {
    expect(rayAddress('http://there:8265', true, {}).url).toBe('http://there:8265');
    expect(rayAddress('http://there:8265', false, { RAY_AUTH_TOKEN: 't' }).headers).toEqual({
      Authorization: 'Bearer t',
    });
  });
});
