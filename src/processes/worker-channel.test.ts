import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { WorkerChannel, type ChannelSettings, type LateCall } from './worker-channel.js';

const entry = new URL('fixtures/calls-worker.js', import.meta.url);
const open: WorkerChannel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((channel) => channel.close()));
});

function channelOf(settings: ChannelSettings = {}): WorkerChannel {
  const channel = new WorkerChannel(entry, settings);
  open.push(channel);
  return channel;
}

describe('a call', () => {
  it('is answered with what its handler gives, and with the time that took there', async () => {
    const channel = channelOf({ data: { seed: 3 } });
    expect((await channel.call('data', null)).value).toEqual({ seed: 3 });
    const payload = { text: 'x'.repeat(100_000), list: [1, undefined, NaN] };
    expect((await channel.call('echo', payload)).value).toEqual(payload);
    const busy = channel.call('busy', 60);
    // The one behind it waits, and is not charged for that.
    const behind = await channel.call('echo', 1);
    expect((await busy).milliseconds).toBeGreaterThanOrEqual(60);
    expect(behind.milliseconds).toBeLessThan(30);
    expect((await channel.call('pause', 50)).milliseconds).toBeGreaterThanOrEqual(49);
  });

  it('goes with all others of its tick, in their order', async () => {
    const channel = channelOf();
    const first = (await channel.call<number>('batches', null)).value;
    const counted = await Promise.all(
      Array.from({ length: 64 }, async () => {
        await Promise.resolve();
        return (await channel.call<number>('count', null)).value;
      }),
    );
    expect(counted).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
    expect((await channel.call('batches', null)).value).toBe(first + 2);
  });

  it('is answered before a slow one that came with it', async () => {
    const channel = channelOf();
    await channel.call('echo', 0);
    const order: string[] = [];
    await Promise.all(
      ['pause', 'echo'].map(async (method) => {
        await channel.call(method, 50);
        order.push(method);
      }),
    );
    expect(order).toEqual(['echo', 'pause']);
    const begun = performance.now();
    const first = channel.call('busy', 20).then(() => performance.now() - begun);
    await channel.call('busy', 400);
    expect(await first).toBeLessThan(300);
  });

  it('brings errors with their name, message and code', async () => {
    const channel = channelOf();
    const thrown = {
      name: 'RangeError',
      message: 'too far',
      code: 'AG_FAR',
      stack: expect.stringContaining('calls-worker.js') as string,
    };
    await expect(channel.call('throws', null)).rejects.toMatchObject(thrown);
    await expect(channel.call('rejects', null)).rejects.toThrow('later');
    await expect(channel.call('rejectsText', null)).rejects.toThrow('a text');
    await expect(channel.call('toString', null)).rejects.toThrow('there is no handler for toString');
  });

  it('that cannot be copied, one way or the other, takes no neighbour along', async () => {
    const channel = channelOf();
    const settled = await Promise.allSettled([
      channel.call('echo', 1),
      channel.call('echo', () => 1),
      channel.call('gives', null),
      channel.call('echo', 2),
    ]);
    expect(
      settled.map((one) => (one.status === 'fulfilled' ? one.value.value : (one.reason as Error).message)),
    ).toEqual([
      1,
      expect.stringMatching(/^what echo is given cannot go to its thread: .*could not be cloned/),
      expect.stringMatching(/^what it gives cannot leave its thread: .*could not be cloned/),
      2,
    ]);
  });

  it('hears of an abort, and is over when its handler is', async () => {
    const channel = channelOf();
    const controller = new AbortController();
    const waiting = channel.call('waitsForAbort', null, { signal: controller.signal });
    const other = channel.call('waitsForAbort', null);
    await channel.call('echo', 0);
    controller.abort();
    expect((await waiting).value).toBe('aborted');
    await expect(channel.call('echo', 0, { signal: controller.signal })).rejects.toBe(controller.signal.reason);
    await channel.close();
    await expect(other).rejects.toMatchObject({ ending: 'terminated', begun: true, running: false });
  });
});

describe('the limit of a call', () => {
  it('counts neither a busy main thread nor a queue', async () => {
    const channel = channelOf();
    await channel.call('echo', 0);
    const late = vi.fn<(call: LateCall) => void>();
    const answer = channel.call('pause', 20, { limit: 150, late });
    // From what a socket wakes, the loop comes to its timers before it comes to messages.
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    const until = performance.now() + 400;
    while (performance.now() < until);
    socket.destroy();
    server.close();
    await answer;
    await Promise.all([channel.call('busy', 300), channel.call('echo', 0, { limit: 100, late })]);
    expect(late).not.toHaveBeenCalled();
  });

  it('is told once where it is over, with who holds the thread, and ends nothing', async () => {
    const channel = channelOf();
    await channel.call('echo', 0);
    const late = vi.fn<(call: LateCall) => void>();
    const [slow, holding] = await Promise.all([
      channel.call('pause', 300, { limit: 50, late }),
      channel.call('busy', 250, { limit: 50, late }),
    ]);
    expect(slow.value).toBe('rested');
    expect(holding.milliseconds).toBeGreaterThanOrEqual(250);
    expect(late).toHaveBeenCalledTimes(2);
    const told = late.mock.calls.map(([call]) => call).sort((a, b) => a.method.localeCompare(b.method));
    expect(told).toMatchObject([
      { method: 'busy', running: true },
      { method: 'pause', running: false },
    ]);
    for (const { milliseconds } of told) expect(milliseconds).toBeGreaterThanOrEqual(50);
  });
});

describe('a thread that ends', () => {
  it.each([
    ['exits', 'exited', 'the thread ended by itself with code 3', true],
    ['throwsLater', 'threw', 'the thread ended by an error that nobody caught: nobody catches this', false],
    ['fills', 'out of memory', 'the thread ran out of memory: ', true],
    ['loops', 'terminated', 'the thread was ended', true],
  ])('because one %s, says how, and which calls it took along', async (method, ending, message, running) => {
    const channel = channelOf({ resourceLimits: { maxOldGenerationSizeMb: 32 } });
    await channel.call('echo', 0);
    const before = channel.call('pause', 60_000);
    const late = vi.fn();
    const culprit = channel.call(method, null, { limit: 200, late });
    const behind = channel.call('waitsForAbort', 0);
    const lost = Promise.allSettled([before, culprit, behind]);
    if (method === 'loops') {
      await vi.waitFor(() => expect(late).toHaveBeenCalledWith(expect.objectContaining({ method, running: true })));
      await channel.close();
    }
    const reasons = (await lost).map((one) => (one as PromiseRejectedResult).reason as Error);
    for (const reason of reasons) {
      expect(reason).toMatchObject({ name: 'WorkerDied', ending });
      expect(reason.message.startsWith(message)).toBe(true);
    }
    expect(reasons).toMatchObject([
      { begun: true, running: false },
      { begun: true, running },
      // A handler that lets go lets the next one begin.
      { begun: method === 'throwsLater', running: false },
    ]);
    await expect(channel.call('echo', 0)).rejects.toMatchObject({ name: 'WorkerDied', ending, begun: false });
  });

  it('before it could serve', async () => {
    const channel = new WorkerChannel(new URL('fixtures/no-such-worker.js', import.meta.url), {});
    await expect(channel.call('echo', 0)).rejects.toMatchObject({
      ending: 'threw',
      begun: false,
      message: expect.stringContaining('no-such-worker.js') as string,
    });
  });
});

it('hands on what its thread prints, at once', async () => {
  let printed = '';
  const channel = channelOf({ print: (text) => (printed += text) });
  const prints = channel.call('prints', null);
  void channel.call('loops', null).catch(() => undefined);
  await vi.waitFor(() => expect(printed).toBe('on standard output\non standard error\n'));
  await channel.close();
  await prints.catch(() => undefined);
});

it('keeps no process alive, nor lets its thread write to standard output', () => {
  const program = fileURLToPath(new URL('fixtures/idle-channel.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 20_000 });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'answered\n' });
  expect(stderr).toContain('on standard output');
});
