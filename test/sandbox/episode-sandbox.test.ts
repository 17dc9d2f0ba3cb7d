// One sandbox for each episode, which its world, its tools and its grader share: here and in threads, with and without
// isolation.
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { World } from '../../src/contracts/environment.js';
import type { SandboxOptions } from '../../src/contracts/sandbox.js';
import type { Tool } from '../../src/contracts/tool.js';
import type { CompletedEpisode, Episode } from '../../src/contracts/trajectory.js';
import { createRandom } from '../../src/random/create-random.js';
import { environmentPhases } from '../../src/rollout/call-clock.js';
import { collectEpisodes } from '../../src/rollout/collect-episodes.js';
import { composeReward } from '../../src/rollout/compose-reward.js';
import { EnvironmentPool } from '../../src/rollout/environment-pool.js';
import { joinSandboxOptions } from '../../src/rollout/episode-sandbox.js';
import { openLocalWorld, type WorldSettings } from '../../src/rollout/local-world.js';
import { openProgramWorld } from '../../src/rollout/remote/program-world.js';
import { openThreadWorld } from '../../src/rollout/remote/thread-world.js';
import { SharedLimits, takeFrom } from '../../src/rollout/shared-limits.js';
import { Toolbox } from '../../src/rollout/toolbox.js';
import { openChosenSandbox, type SandboxKind } from '../../src/sandbox/choose-sandbox.js';
import type { PlacedSandbox } from '../../src/sandbox/sandbox-place.js';
// @ts-expect-error: a world in plain JavaScript, which threads import, too
import { open } from './boxed-world.js';

const never = new AbortController().signal;
const limits = {
  milliseconds: Object.fromEntries(environmentPhases.map((phase) => [phase, 20_000])) as WorldSettings['milliseconds'],
  observationCharacters: 1000,
  title: 'environment `boxed`',
};
const without = await openChosenSandbox('bubblewrap', {}, never).then(
  (sandbox) => sandbox.close().then(() => false),
  () => process.env['CI'] === undefined,
);

const here = () => openLocalWorld(() => (open as () => World)(), { ...limits, signal: never });
const inThreads = (options = {}) =>
  openThreadWorld({
    program: new URL('./boxed-thread.js', import.meta.url),
    data: { options, limits },
    ...{ ...limits, workers: 2, signal: never, take: takeFrom(new SharedLimits()) },
    log: { info: () => undefined, warn: () => undefined },
  });

const inProcess = () =>
  openLocalWorld(
    () =>
      openProgramWorld(
        'python3',
        [join(import.meta.dirname, 'boxed_world.py')],
        {},
        {
          log: { info: () => undefined, warn: () => undefined },
          signal: never,
        },
      ),
    { ...limits, signal: never },
  );

/** Runs the command behind a dollar sign, in the sandbox of the episode. */
const shell: Tool = {
  instructions: 'Run a command by $ COMMAND.',
  example: '$ true',
  parse: (text) => (text.startsWith('$ ') ? { call: text.slice(2) } : undefined),
  sandbox: { megabytes: 60, env: { KIND: 'tool', FROM: 'tool' } },
  begin: ({ sandbox, seed, task }) => ({
    async run(call, { signal }) {
      const { stdout } = await sandbox!.run('/bin/sh', ['-c', call as string], { signal });
      return { output: `${stdout}${sandbox!.id.split('-')[0]} ${task} ${seed}` };
    },
  }),
};

/** Plays these texts in every task. */
async function play(
  opening: ReturnType<typeof here>,
  kind: SandboxKind,
  texts: readonly string[],
  opened: PlacedSandbox[] = [],
): Promise<Episode[]> {
  const openSandbox = async (options: SandboxOptions, id: string) => {
    opened.push(await openChosenSandbox(kind, options, never, id));
    return opened.at(-1)!;
  };
  const pool = new EnvironmentPool(await opening, Infinity, openSandbox);
  const tools = new Toolbox([{ name: 'shell', tool: shell }], { maxOutputCharacters: 1000, milliseconds: 20_000 });
  const player = { name: 'script', act: ({ texts: said }: { texts: readonly string[] }) => texts[said.length]! };
  try {
    return await collectEpisodes(
      ['a', 'b', 'c', 'd'].map((task, group) => ({ iteration: 1, task, group, member: 0 })),
      {
        actor: { kind: 'player', player, tools },
        ...{ environments: pool, reward: composeReward([]), horizon: 6, random: createRandom(3), signal: never },
        rollout: { inFlight: 64, retries: 1, maxFailedShare: 1, playerMilliseconds: 20_000 },
      },
    );
  } finally {
    await pool.dispose();
    await tools.dispose();
  }
}

const solve = ['$ cp task answer; cat task; echo " $KIND $FROM"', 'look', 'done'];

describe.skipIf(without).each(['bubblewrap', 'none'] as const)('the sandbox of an episode, %s', (kind) => {
  it.each([
    ['here', here],
    ['in threads', inThreads],
    ['in a process', inProcess],
  ])('is shared by its world, its tools and its grader: %s', async (_, opening) => {
    const opened: PlacedSandbox[] = [];
    const episodes = (await play(opening(), kind, solve, opened)) as CompletedEpisode[];
    for (const [place, { sandbox, success, task, turns }] of episodes.entries()) {
      expect(success).toBe(true);
      expect(turns[1]!.observation).toMatch(new RegExp(`^${task} \\d+ boxed tool\n${kind} ${task} \\d+$`));
      expect(turns[2]!.observation).toBe('boxed');
      expect(sandbox).toMatch(new RegExp(`^${kind}-[0-9a-f]{12}$`));
      expect(opened.map(({ id }) => id).indexOf(sandbox!), `episode ${place}`).toBeGreaterThan(-1);
    }
    expect(new Set(episodes.map(({ sandbox }) => sandbox)).size).toBe(4);
    for (const sandbox of opened) await expect(sandbox.run('true')).rejects.toThrow('closed');
    expect(JSON.stringify(await play(opening(), kind, solve))).toBe(JSON.stringify(episodes));
  });

  it('keeps limits of time and output, and kills what a program leaves behind', async () => {
    const sandbox = await openChosenSandbox(kind, { env: { A: 'b' } }, never);
    expect(await sandbox.run('sleep', ['30'], { seconds: 0.2 })).toMatchObject({ code: null, limit: 'seconds' });
    expect(await sandbox.run('yes', [], { outputBytes: 1000 })).toMatchObject({ code: null, limit: 'output' });
    const { stdout } = await sandbox.run('/bin/sh', ['-c', 'sleep 30 & echo $A $HOME; pwd'], { seconds: 5 });
    expect(stdout).toBe(`b ${sandbox.folder}\n${sandbox.folder}\n`);
    await expect(sandbox.run('sleep', ['30'], { signal: AbortSignal.timeout(100) })).rejects.toThrow('timeout');
    await sandbox.write('deep/in/file', 'text');
    expect(Buffer.from((await sandbox.read('deep/in/file'))!).toString()).toBe('text');
    expect(await sandbox.read('other')).toBeUndefined();
    await expect(sandbox.read('deep/in/file', 3)).rejects.toThrow('has more than 3 bytes');
    await sandbox.close();
    await sandbox.close();
    await expect(sandbox.run('true')).rejects.toThrow('the sandbox is closed');
  });
});

describe.skipIf(without)('a program that breaks the rules of its sandbox', () => {
  it.each([
    ['other', 'asked for a sandbox that its call does not have'],
    ['scribble', 'wrote a line that is no answer'],
  ])('is ended: %s', async (action, message) => {
    const [first] = await play(inProcess(), 'bubblewrap', [action, 'done']);
    expect(first).toMatchObject({ status: 'failed', failure: { phase: 'step' } });
    expect(JSON.stringify(first)).toContain(message);
  });
});

describe.skipIf(without)('an episode whose thread dies', () => {
  it('fails; its neighbours begin anew, because nothing that ran in a sandbox runs again', async () => {
    const episodes = await play(inThreads({ dies: true }), 'bubblewrap', ['look', 'die', 'done']);
    expect(episodes.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(await play(inThreads(), 'bubblewrap', solve)).toEqual(await play(here(), 'bubblewrap', solve));
  });
});

it('a folder without isolation is gone at the end, and paths do not leave it', async () => {
  const before = readdirSync(tmpdir()).length;
  const sandbox = await openChosenSandbox('none', {}, never, 'x');
  await expect(sandbox.write('../outside', '')).rejects.toThrow('../outside is not below the folder of the sandbox');
  await expect(sandbox.read('/etc/passwd')).rejects.toThrow('not below the folder');
  const running = sandbox.run('sleep', ['30']);
  running.catch(() => undefined);
  await sandbox.close();
  await expect(running).rejects.toThrow('the sandbox is closed');
  expect(existsSync(sandbox.folder)).toBe(false);
  expect(readdirSync(tmpdir()).length).toBe(before);
});

it('what several ask for is joined', () => {
  expect(joinSandboxOptions([undefined, undefined])).toBeUndefined();
  expect(joinSandboxOptions([{ files: 3 }, undefined])).toEqual({ files: 3 });
  expect(
    joinSandboxOptions([
      { megabytes: 100, read: ['/a'], env: { A: '1' } },
      { megabytes: 600, files: 5, read: ['/a', '/b'], hide: ['/b/c'], env: { A: '2', B: '3' } },
    ]),
  ).toEqual({
    ...{ megabytes: 600, diskMegabytes: 64, files: 10_000, processes: 64 },
    ...{ read: ['/a', '/b'], hide: ['/b/c'], env: { A: '1', B: '3' } },
  });
});
