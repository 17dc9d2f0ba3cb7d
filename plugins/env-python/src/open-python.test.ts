import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { environmentKit, optionDefaults, testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import contributions from './index.js';
import * as module from './open-python.js';
import { type Options, options as declared, requiredPython, validate } from './options.js';

const folder = fileURLToPath(new URL('fixtures', import.meta.url));
const corridor: Options = {
  ...(optionDefaults(declared) as Options),
  folder,
  make: 'corridor:Corridor',
  names: ['left', 'right'],
  players: ['oracle=corridor:oracle'],
};
const { random, signal } = testHost(1);
const call = { random, signal };

/** The first observation of an episode, and the answers to these actions. */
async function play(options: Partial<Options>, task: string, actions: readonly string[]) {
  const world = await module.open({ ...corridor, ...options }, testHost());
  try {
    const environment = await world.create(call);
    const answers: unknown[] = [await environment.reset(task, call)];
    for (const action of actions) answers.push(await environment.step(action, call));
    return answers;
  } finally {
    await world.close?.();
  }
}

const answer = (observation: string, more: object = {}, facts: object = {}) => ({
  observation,
  reward: 0,
  terminated: false,
  truncated: false,
  ...more,
  facts: { success: false, invalid: false, ...facts },
});

describe('an environment in Python', () => {
  it('is played by names of its actions', async () => {
    expect(await play({}, '2', ['right', 'right', 'up', 'right', 'right'])).toEqual([
      '0',
      answer('1'),
      answer('2'),
      answer('That is no action: actions are left, right.\n2', {}, { invalid: true }),
      answer('3'),
      answer('4', { reward: 1, terminated: true }, { success: true }),
    ]);
  });

  it('is played by numbers, by a function, and by texts', async () => {
    expect(await play({ names: [] }, '2', ['1', '7', '1.0'])).toEqual([
      '0',
      answer('1'),
      answer('That is no action: actions are numbers from 0 to 1.\n1', {}, { invalid: true }),
      answer('That is no action: actions are numbers from 0 to 1.\n1', {}, { invalid: true }),
    ]);
    const functions = { names: [], read: 'corridor:read', observe: 'corridor:shown' };
    expect(await play(functions, '2', ['forth', 'right'])).toEqual([
      'square 0',
      answer('square 1'),
      answer('That is no action: say forth or back.\nsquare 1', {}, { invalid: true }),
    ]);
    const texts = { make: 'corridor:Echo', names: [], players: [] };
    expect(await play(texts, '7', ['yes'])).toEqual([
      'say 7',
      answer('yes', { reward: 2, terminated: true }, { success: true }),
    ]);
  });

  it('is shown as it draws itself, and gets its arguments', async () => {
    expect(await play({ observe: 'render', arguments: ['3', 'limit=1'] }, '2', ['left'])).toEqual([
      expect.stringMatching(/^[x.]{3}$/),
      answer('x..', { truncated: true }, { invalid: true }),
    ]);
  });

  it('is refused by name where it shows pictures', async () => {
    await expect(play({ observe: 'corridor:picture' }, '2', [])).rejects.toThrow(
      'images as observations are not supported: name a function in `observe`',
    );
  });

  it('decides success by its return, or by what it says', async () => {
    const demanding = { successReturn: 1.5 };
    const [last] = (await play(demanding, '2', ['right', 'right', 'right', 'right'])).slice(-1);
    expect(last).toMatchObject({ terminated: true, facts: { success: false } });
    const told = { successInfo: 'arrived' };
    const [said] = (await play(told, '2', ['right', 'right', 'right', 'right'])).slice(-1);
    expect(said).toMatchObject({ terminated: true, facts: { success: true } });
  });

  it('notes the module of the user', async () => {
    const world = await module.open(corridor, testHost());
    const sha256 = createHash('sha256')
      .update(readFileSync(`${folder}/corridor.py`))
      .digest('hex');
    expect(world.materials).toEqual([{ name: 'corridor.py', sha256 }]);
    await world.close?.();
  });

  it.each([
    [{ make: 'corridor:Nothing' }, /AttributeError: module 'corridor' has no attribute 'Nothing'/],
    [{ make: 'no_such_module:Nothing' }, /ModuleNotFoundError: No module named 'no_such_module'/],
    [{ folder: '/nowhere' }, /ModuleNotFoundError/],
    [{ read: 'corridor:nothing' }, /AttributeError/],
  ])('refuses %o', async (options, message) => {
    await expect(play(options, '2', [])).rejects.toThrow(message);
  });
});

describe('its options', () => {
  const found = (changes: Partial<Options>) => validate({ ...corridor, ...changes }).map(({ message }) => message);

  it('are checked before Python starts', () => {
    expect(found({})).toEqual([]);
    expect(found({ make: null })).toEqual(['`make` is not set']);
    expect(found({ make: 'gymnasium.make' })).toEqual(['`gymnasium.make` names no callable']);
    expect(found({ observe: 'picture', read: 'x' })).toEqual(['`picture` is unknown', '`x` names no function']);
    expect(found({ players: ['oracle', 'random=a:b', 'x=a:b'] })).toEqual([
      '`oracle` is no player',
      '`random=a:b` is no player',
    ]);
    const idle = validate({ ...corridor, successInfo: 'won', successReturn: 1 });
    expect(idle).toEqual([expect.objectContaining({ path: ['successReturn'], idle: true })]);
  });

  it('name packages with ranges', () => {
    expect(requiredPython({ packages: [], python: null })).not.toHaveProperty('packages');
    expect(requiredPython({ packages: ['gymnasium@>=1.0', 'numpy'], python: '.venv/bin/python' })).toMatchObject({
      interpreter: '.venv/bin/python',
      title: 'Python 3.9 or later with gymnasium, numpy',
      packages: { gymnasium: '>=1.0', numpy: '*' },
    });
  });
});

const [contribution] = contributions;
const variants: readonly Partial<Options>[] = [{}, { arguments: ['drift=0.2'], processes: 2 }];
describe.each(variants)('with %o', (changes) => {
  environmentKit.describe(it, { ...module, contribution: contribution!, options: { ...corridor, ...changes } });
});
