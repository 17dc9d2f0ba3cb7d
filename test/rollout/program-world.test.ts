// Worlds in processes of their own: a program may do anything, and the other episodes stay the same, byte for byte.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { describe, expect, it } from 'vitest';

import type { WorldProgramOptions } from '../../src/contracts/host.js';
import type { Episode, EpisodeKey } from '../../src/contracts/trajectory.js';
import { createRandom } from '../../src/random/create-random.js';
import { environmentPhases } from '../../src/rollout/call-clock.js';
import { collectEpisodes } from '../../src/rollout/collect-episodes.js';
import { composeReward } from '../../src/rollout/compose-reward.js';
import { EnvironmentPool } from '../../src/rollout/environment-pool.js';
import type { HeldArtifact } from '../../src/rollout/episode-artifacts.js';
import { openLocalWorld, type WorldSettings } from '../../src/rollout/local-world.js';
import { openProgramWorld } from '../../src/rollout/remote/program-world.js';
import type { WorldHandle } from '../../src/rollout/world-handle.js';

const program = join(import.meta.dirname, 'hostile_world.py');
const never = new AbortController().signal;

interface Settings {
  readonly options?: WorldProgramOptions;
  readonly milliseconds?: number;
  readonly signal?: AbortSignal;
  readonly messages?: string[];
  readonly code?: string;
}

async function opened({ code, messages = [], milliseconds = 1500, options = {}, signal = never }: Settings = {}) {
  const limits = Object.fromEntries(
    environmentPhases.map((phase) => [phase, phase === 'open' ? 20_000 : milliseconds]),
  );
  const say = (message: string) => void messages.push(message);
  const settings = { milliseconds: limits as WorldSettings['milliseconds'], log: { info: say, warn: say }, signal };
  const args = code === undefined ? [program] : ['-c', code];
  return openLocalWorld(() => openProgramWorld('python3', args, options, settings), {
    ...settings,
    title: 'environment `hostile`',
    observationCharacters: 1000,
  });
}

/** Episodes of these tasks by the random player. */
async function play(
  world: WorldHandle,
  tasks: readonly string[],
  { retries = 0, signal = never, states = false, horizon = 6, during = () => {} } = {},
): Promise<Episode[]> {
  const pool = new EnvironmentPool(world, Infinity);
  const keys = tasks.map((task, group): EpisodeKey => ({ iteration: 1, task, group, member: 0 }));
  try {
    const playing = collectEpisodes(keys, {
      actor: { kind: 'environment', player: 'random' },
      environments: pool,
      reward: composeReward([]),
      horizon,
      artifacts: Infinity,
      random: createRandom(3),
      rollout: { inFlight: 256, retries, maxFailedShare: 1, playerMilliseconds: 1000 },
      states,
      signal,
    });
    during();
    return await playing;
  } finally {
    await pool.dispose();
  }
}

const calm = Array.from({ length: 64 }, (_, index) => `calm/${index}`);
const withOne = (hostile: string) => calm.map((task, index) => (index === 20 ? hostile : task));
const without = (episodes: readonly Episode[]) => episodes.filter((_, index) => index !== 20);
const failures = (episodes: readonly Episode[]) =>
  episodes.flatMap((episode) => (episode.status === 'failed' ? [episode.failure] : []));

/** Processes of the program that this process started, in their order. */
function children(): number[] {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  return pids.map(Number).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program));
}

describe('a world in processes', () => {
  it('describes itself, and knows its tasks', async () => {
    const world = await opened();
    try {
      expect(world).toMatchObject({
        instructions: 'Guess a digit.',
        experts: ['oracle'],
        external: false,
        tells: true,
      });
      const { train, validation, test } = world.splits;
      expect([train.count, validation.count, test.count]).toEqual(['unbounded', 5, 2]);
      expect(await train.ids([3, 1])).toEqual(['calm/3', 'calm/1']);
      expect(await test.ids([1])).toEqual(['calm/2001']);
      const streams = () => [createRandom(1).stream('a'), createRandom(1).stream('b')];
      const drawn = await train.draw(streams());
      expect(drawn).toEqual(await train.draw(streams()));
      expect(new Set(drawn).size).toBe(2);
      expect(await validation.draw(streams())).toEqual([
        expect.stringMatching(/^calm\/100[0-4]$/),
        expect.stringMatching(/^calm\/100[0-4]$/),
      ]);
      expect(await world.about(['calm/7'])).toEqual([{ labels: { number: 7 } }]);
      expect(await world.splitOf?.(['calm/2000', 'nowhere'])).toEqual(['test', undefined]);
    } finally {
      await world.close();
    }
  });

  it('plays the same in one process, in three, and with others in between', async () => {
    const expected = await play(await opened(), calm, { states: true });
    expect(expected.every(({ status }) => status === 'completed')).toBe(true);
    expect(new Set(expected.map(({ turns }) => turns[0]!.startState)).size).toBeGreaterThan(60);
    const three = await play(await opened({ options: { processes: 3 } }), calm, { states: true });
    expect(three).toEqual(expected);
    const [alone] = await play(await opened(), calm.slice(0, 1), { states: true });
    expect(alone).toEqual(expected[0]);
  });

  it('offers what the instances offer', async () => {
    const world = await opened();
    const instance = await world.create();
    expect(instance).toMatchObject({ concludes: true, tellsStates: true });
    await instance.reset('calm/1', createRandom(1).stream('reset'));
    expect(await instance.admissible()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(await instance.conclude('tokens')).toEqual({ reward: 0.5, facts: { success: true, invalid: false } });
    expect(await instance.act('oracle', createRandom(1))).toMatch(/^\d$/);
    await world.close();
  });

  it.each([
    ['loop', 'step took longer than 1.5 s'],
    ['sleep', 'step took longer than 1.5 s'],
    ['crash', 'it ended its process: SIGSEGV'],
    ['exit', 'it ended its process: code 3'],
    ['text', 'its process wrote a line of more than 16777216 characters'],
    ['scribble', 'its process wrote a line that is no answer'],
    ['sys-exit', 'SystemExit: enough'],
    ['fail', 'ValueError: no such luck'],
    ['nan', 'ValueError: Out of range float values are not JSON compliant'],
    ['image', 'TypeError: images as observations are not supported. Describe what is seen in text'],
  ])(
    '%s: fails its own episode alone',
    async (how, message) => {
      const expected = await play(await opened(), calm);
      // A busy machine needs time for a long line.
      const milliseconds = message.includes('took longer') ? 1500 : 20_000;
      const found = await play(await opened({ milliseconds }), withOne(`${how}@2/20`));
      expect(failures(found)).toEqual([
        expect.objectContaining({ message: expect.stringContaining(message) as string }),
      ]);
      expect(found[20]!.status).toBe('failed');
      expect(without(found)).toEqual(without(expected));
    },
    60_000,
  );

  it('blames a hanging reset', async () => {
    const found = await play(await opened(), withOne('sleep@0/20'));
    expect(failures(found)).toEqual([expect.objectContaining({ message: 'reset took longer than 1.5 s' })]);
  }, 60_000);

  // Goes red when the time of a call includes that of the calls before it: 16 calls of a turn take 0.8 s together.
  it('times a call from when its process begins it', async () => {
    const world = await opened({ options: { options: { delay: 0.05 } }, milliseconds: 500 });
    expect(failures(await play(world, calm.slice(0, 16)))).toEqual([]);
    const { calls, milliseconds } = world.times().step;
    expect(calls).toBe(64);
    expect(milliseconds / calls).toBeGreaterThan(49);
    expect(milliseconds / calls).toBeLessThan(200);
  }, 60_000);

  it('loses one episode if one of two processes is killed', async () => {
    const tasks = Array.from({ length: 200 }, (_, index) => `calm/${index}`);
    const options = { options: { delay: 0.002 }, processes: 2 };
    const expected = await play(await opened({ options }), tasks, { retries: 1 });
    let killed: number | undefined;
    const kill = () => {
      killed = children().at(-1);
      if (killed !== undefined) process.kill(killed, 'SIGKILL');
    };
    const found = await play(await opened({ options }), tasks, { during: () => void setTimeout(kill, 600) });
    expect(killed).toBeDefined();
    expect(failures(found)).toEqual([
      expect.objectContaining({ message: expect.stringContaining('SIGKILL') as string }),
    ]);
    expect(found.filter((episode, index) => !isDeepStrictEqual(episode, expected[index]))).toHaveLength(1);
  }, 60_000);

  it('keeps what is printed out of the answers, and tells it', async () => {
    const messages: string[] = [];
    const found = await play(await opened({ messages }), withOne('chatter@2/20'));
    expect(failures(found)).toEqual([]);
    expect(messages.join('\n')).toMatch(/a print\nno end of line(.*\n)?from C\nfrom a child/);
  });

  it('hears nothing from a forked process', async () => {
    const expected = await play(await opened(), calm);
    expect(without(await play(await opened(), withOne('fork@2/20')))).toEqual(without(expected));
  });

  it('fails an episode that gets other answers after its process was replaced', async () => {
    const world = await opened();
    const found = await play(world, ['turncoat@1/0', 'exit@3/1', 'calm/2']);
    expect(failures(found).map(({ message }) => message)).toEqual([
      'its process was replaced, and the same actions got other answers in move 1',
      expect.stringContaining('code 3'),
    ]);
    expect(found[2]!.status).toBe('completed');
  });

  // Goes red if artifacts count when an episode is replayed, or if base64 stays text.
  it('brings artifacts, which may differ where an episode is replayed in another process', async () => {
    const found = await play(await opened(), ['artist@9/0', 'exit@2/1'], { horizon: 3 });
    expect(failures(found)).toEqual([
      expect.objectContaining({ message: expect.stringContaining('code 3') as string }),
    ]);
    const artifacts = found[0]!.artifacts as readonly HeldArtifact[];
    expect(artifacts.map(({ turn, name, bytes }) => [turn, name, bytes])).toEqual([
      [undefined, 'start.txt', 7],
      [0, 'digits.bin', 2],
      [1, 'digits.bin', 2],
      [2, 'digits.bin', 2],
      [2, 'grade.txt', 7],
    ]);
    expect(Buffer.from(artifacts[0]!.content!).toString()).toMatch(/^digit \d$/);
    expect(artifacts[3]!.content![0]).toBe(3);
    expect(artifacts[1]!.content![1]).not.toBe(artifacts[3]!.content![1]);
  });

  it.each([
    ['{"content": "AA*=", "encoding": "base64"}', 'artifacts[0].content: is no base64'],
    ['{"content": "AA", "encoding": "base64"}', 'artifacts[0].content: is no base64'],
    ['{"content": "AA", "encoding": "hex"}', 'artifacts[0].encoding: must be "base64", or absent for text'],
    ['{"content": "AA"}', 'artifacts[0].name: must be text'],
  ])('fails an episode whose artifact is %s', async (artifact, message) => {
    const open = `{"protocol": 1, "instructions": "", "splits": {"train": ["a"]}}`;
    const code = [
      'import json',
      `answers = {"open": ${open}, "create": {}, "reset": {"observation": "", "artifacts": [${artifact}]}}`,
      'while True:',
      '  call = json.loads(input())',
      '  print(json.dumps({"id": call["id"], "answer": answers.get(call["call"])}), flush=True)',
    ].join('\n');
    const found = await play(await opened({ code }), ['a']);
    expect(failures(found)).toEqual([{ phase: 'reset', message: expect.stringContaining(message) as string }]);
  });

  it('does not replay an external world, and plays its lost episodes again', async () => {
    const tasks = ['calm/0', 'exit@2/1', 'calm/2'];
    const found = await play(await opened({ options: { options: { external: true } } }), tasks);
    expect(found.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
  });

  it('ends the run, resumably, if the world says that it is down', async () => {
    await expect(play(await opened(), withOne('unavailable@2/20'))).rejects.toMatchObject({
      code: 'AG_WORLD_UNAVAILABLE',
      message: expect.stringContaining('the server is down') as string,
    });
  });

  it.each([
    ['import nothing_like_this', /ended its process: code 1. It printed: ModuleNotFoundError: No module named/],
    ['print("hello")', /wrote a line that is no answer, where the answer to call 1 is due: hello/],
    ['', /ended its process: code 0. It printed nothing/],
    ['from agentgym_world import serve\nserve(lambda options: 1 / 0)', /ZeroDivisionError: division by zero/],
    ['input(); print(\'{"id": 1, "answer": {"protocol": 7, "instructions": "", "splits": {}}}\', flush=True); input()', /speaks the protocol 7; this agentgym speaks 1/],
    ['input(); print(\'{"id": 1, "answer": 5}\', flush=True); input()', /the answer to open/],
  ])('refuses a program that is none: %j', async (code, message) => {
    await expect(opened({ code })).rejects.toThrow(message);
  }); // prettier-ignore

  it('ends its processes with the run', async () => {
    const stop = new AbortController();
    const world = await opened({ signal: stop.signal, options: { options: { delay: 1 }, processes: 2 } });
    const playing = play(world, calm, { signal: stop.signal, during: () => void setTimeout(() => stop.abort(), 300) });
    const begun = performance.now();
    await expect(playing).rejects.toThrow();
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});
