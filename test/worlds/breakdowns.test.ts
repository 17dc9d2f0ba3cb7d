// The effect on an episode and on the world when the program behind it breaks, hangs, or is missing.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Environment, EnvironmentModule, World } from '@agentgym/cli';
import { testHost } from '../../src/testing/test-host.js';
import { afterAll, describe, expect, it } from 'vitest';

import { createRandom } from '../../src/random/create-random.js';
import { findProcesses } from '../kill/find-processes.js';
import { awaitProcesses } from './await-processes.js';
import { startServer } from './game-server.js';
import { makeProject, removeProject } from './make-project.js';
import { withoutPython } from './python.js';

const project = makeProject();
afterAll(() => removeProject(project));

const call = { signal: new AbortController().signal, random: createRandom(1) };
const unavailable = { code: 'UNAVAILABLE' };

async function openWorld(name: string, options: object = {}): Promise<World> {
  const module = (await import(pathToFileURL(join(project, 'dist', `${name}.js`)).href)) as EnvironmentModule<object>;
  return module.open(options, testHost());
}

async function begin(world: World, task = '4-9'): Promise<Environment> {
  const environment = await world.create(call);
  expect(await environment.reset(task, call)).toBe('Guess my number from 4 to 9. 3 turns.');
  return environment;
}

describe('a process for every instance', () => {
  const program = join(project, 'programs/child.js');

  it('plays one episode after the other, and ends with its instance', async () => {
    const world = await openWorld('child-game');
    const environment = await begin(world);
    for (let over = false; !over;) ({ terminated: over } = await environment.step('5', call));
    await environment.reset('5-10', call);
    expect(findProcesses(program)).toHaveLength(1);
    const other = await begin(world);
    expect(findProcesses(program)).toHaveLength(2);
    await environment.dispose?.();
    await other.dispose?.();
    await other.dispose?.();
    expect(findProcesses(program)).toEqual([]);
  });

  it('that dies makes its step throw; the next instance has another', async () => {
    const world = await openWorld('child-game');
    const environment = await begin(world);
    const [pid = 0] = await awaitProcesses(program);
    process.kill(pid, 'SIGSTOP');
    const step = Promise.resolve(environment.step('5', call));
    process.kill(pid, 'SIGKILL');
    await expect(step).rejects.toThrow('ended with SIGKILL');
    await expect(environment.step('5', call)).rejects.toThrow('ended with SIGKILL');
    await environment.dispose?.();
    const next = await begin(world);
    expect((await next.step('5', call)).facts.invalid).toBe(false);
    await next.dispose?.();
  });

  it('that answers nothing is given up when the time of the call is up, and killed with its instance', async () => {
    const environment = await begin(await openWorld('child-game'));
    const [pid = 0] = await awaitProcesses(program);
    process.kill(pid, 'SIGSTOP');
    const controller = new AbortController();
    const step = Promise.resolve(environment.step('5', { signal: controller.signal }));
    controller.abort(new Error('its time is up'));
    await expect(step).rejects.toThrow('its time is up');
    await environment.dispose?.();
    expect(findProcesses(program)).toEqual([]);
  });
});

describe('leases of a server', () => {
  it('are given back when the game is over, when it is cut, and when the instance goes', async () => {
    const server = await startServer(project);
    const environment = await begin(await openWorld('leased-game', { url: server.url }));
    expect(await server.leased()).toBe(1);
    for (let over = false; !over;) ({ terminated: over } = await environment.step('4', call));
    expect(await server.leased()).toBe(0);

    await environment.reset('4-9', call);
    const { reward, facts } = await environment.step('200', call);
    expect(await environment.conclude?.('horizon', call)).toEqual({ reward, facts });
    expect(await server.leased()).toBe(0);

    await environment.reset('4-9', call);
    await environment.reset('4-9', call);
    expect(await server.leased()).toBe(1);
    await environment.dispose?.();
    await environment.dispose?.();
    expect(await server.leased()).toBe(0);
    await server.kill();
  });

  it('that ran out fail their episode, and are taken anew', async () => {
    const server = await startServer(project, ['--idle', '0.1']);
    const environment = await begin(await openWorld('leased-game', { url: server.url }));
    await expect.poll(() => server.leased()).toBe(0);
    const failure = await Promise.resolve(environment.step('5', call)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: 'the server: the lease has run out after 0.1 s' });
    expect(failure).not.toMatchObject(unavailable);
    await environment.reset('4-9', call);
    expect((await environment.step('5', call)).facts.invalid).toBe(false);
    await server.kill();
  });

  it('are waited for where every place is taken, until the time of the call is up', async () => {
    const server = await startServer(project, ['--capacity', '1']);
    const world = await openWorld('leased-game', { url: server.url });
    const [first, second] = [await begin(world), await world.create(call)];
    const controller = new AbortController();
    const never = Promise.resolve(second.reset('4-9', { ...call, signal: controller.signal }));
    setTimeout(() => controller.abort(new Error('its time is up')), 250);
    await expect(never).rejects.toThrow(/its time is up|aborted/);
    const later = Promise.resolve(second.reset('4-9', call));
    await first.dispose?.();
    expect(await later).toContain('from 4 to 9');
    await server.kill();
  });

  it('are UNAVAILABLE where the server is gone, from the opening on', async () => {
    const server = await startServer(project);
    const { url } = server;
    const environment = await begin(await openWorld('leased-game', { url }));
    await server.kill();
    await expect(environment.step('5', call)).rejects.toMatchObject(unavailable);
    await expect(openWorld('leased-game', { url })).rejects.toMatchObject(unavailable);
    await expect(openWorld('leased-game', { url })).rejects.toThrow(/^http:\S+ does not answer: connect ECONNREFUSED/);
    await environment.dispose?.();
  });
});

describe.skipIf(withoutPython)('games in one Python process', () => {
  const program = join(project, 'programs/games.py');

  it('are a hundred at a time, and a slot that is given back is taken again', async () => {
    const world = await openWorld('python-game', { python: 'python3' });
    const games = await Promise.all(Array.from({ length: 100 }, () => begin(world)));
    expect(findProcesses(program)).toHaveLength(1);
    const answers = await Promise.all(games.map(async (game, i) => game.step(String(4 + (i % 6)), call)));
    expect(new Set(answers.map(({ observation }) => observation)).size).toBeGreaterThan(3);
    const [pid = 0] = findProcesses(program);
    const slots = () => readdirSync(`/proc/${pid}/task`).length - 1;
    expect(slots()).toBe(100);
    // The slot was returned once: the next game takes it, and the game after that gets another slot.
    await games[40]?.dispose?.();
    await games[40]?.dispose?.();
    const next = await begin(world);
    expect(slots()).toBe(100);
    await (await world.create(call)).reset('5-10', call);
    expect(slots()).toBe(101);
    expect((await next.step('4', call)).facts.invalid).toBe(false);
    await world.close?.();
    await world.close?.();
    expect(findProcesses(program)).toEqual([]);
  });

  it('are UNAVAILABLE once it has ended: every call that waits, and every later one', async () => {
    const world = await openWorld('python-game', { python: 'python3' });
    const games = await Promise.all(Array.from({ length: 5 }, () => begin(world)));
    const [pid = 0] = findProcesses(program);
    process.kill(pid, 'SIGSTOP');
    const steps = games.map((game) => Promise.resolve(game.step('5', call)));
    process.kill(pid, 'SIGKILL');
    for (const step of steps) await expect(step).rejects.toMatchObject(unavailable);
    await expect(games[0]!.reset('4-9', call)).rejects.toMatchObject(unavailable);
    await games[0]?.dispose?.();
    await world.close?.();
  });

  it('fail alone where the game has a fault', async () => {
    const world = await openWorld('python-game', { python: 'python3' });
    const [game, other] = [await world.create(call), await begin(world)];
    // The game was never started.
    const failure = await Promise.resolve(game.step('5', call)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining('AttributeError') as unknown });
    expect(failure).not.toMatchObject(unavailable);
    expect((await other.step('5', call)).facts.invalid).toBe(false);
    await world.close?.();
  });
});

it('without Python the message says what to install', async () => {
  await expect(openWorld('python-game', { python: 'no-such-python' })).rejects.toThrow(
    'there is no program no-such-python: install it, or set the option `python`',
  );
});
