import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import type { AlfWorld } from './alfworld.js';
import { folderOf, make, smallGame } from './fixtures/play.js';

const { random } = testHost(7);
const heat = 'house/kitchen-3/pick_heat_then_place_in_recep/9';
const light = 'house/bedroom-3/look_at_obj_in_light/9';

function playAs(player: string, environment: AlfWorld, id: string, turns = 60) {
  const observations = [environment.reset(id)];
  const steps = [];
  while (steps.length < turns && steps.at(-1)?.terminated !== true) {
    const action = environment.act(player, { random });
    const step = environment.step(action);
    steps.push({ action, ...step });
    observations.push(step.observation);
  }
  return { observations, steps };
}

describe('playing', () => {
  it('ends with the task, for one reward', () => {
    const environment = make();
    const { steps } = playAs('oracle', environment, heat);
    expect(steps.map(({ reward, terminated, facts }) => [reward, terminated, facts.success])).toEqual([
      ...steps.slice(1).map(() => [0, false, false]),
      [1, true, true],
    ]);
    expect(environment.admissible()).toEqual([]);
    expect(environment.step('look')).toMatchObject({
      observation: 'The task is done.',
      reward: 0,
      terminated: true,
      facts: { invalid: true, details: { refused: 'over' } },
    });
  });

  it('makes progress with every turn of the plan, and reaches milestones by deeds', () => {
    const { steps } = playAs('oracle', make(), heat);
    const total = steps.length;
    for (const [turn, { facts }] of steps.entries()) expect(facts.progress).toBeCloseTo((turn + 1) / total, 9);
    const deeds = steps.map(({ action }) => /^(?:take|heat|move)/.test(action));
    expect(steps.map(({ facts }) => facts.milestones)).toEqual(
      deeds.map((_, turn) => ({ reached: deeds.slice(0, turn + 1).filter(Boolean).length, total: 3 })),
    );
  });

  it('keeps the best progress when the agent goes back', () => {
    const environment = make();
    environment.reset(heat);
    let action = '';
    let best = {};
    while (!action.startsWith('take')) {
      action = environment.act('oracle', { random });
      best = environment.step(action).facts;
    }
    const back = environment.step(action.replace(/^take (.*) from (.*)$/, 'move $1 to $2')).facts;
    const { progress, milestones } = best as typeof back;
    expect(progress).toBeGreaterThan(0);
    expect(back).toMatchObject({ invalid: false, progress, milestones });
  });

  it('tells what is unknown from what is impossible now', () => {
    const environment = make();
    environment.reset(heat);
    for (const [action, refused] of [
      ['open sesame', 'impossible'],
      ['dance', 'unknown'],
      ['', 'unknown'],
      ['🙂', 'unknown'],
      ['take', 'impossible'],
    ] as const) {
      expect(environment.step(action)).toMatchObject({ facts: { invalid: true, details: { refused, moves: 0 } } });
      expect(environment.step(action).observation).toMatch(/^Nothing happens\.\nActions: /);
    }
    expect(environment.step('look').facts).toMatchObject({ invalid: false, details: { moves: 1 } });
  });

  it.each([1, 2, 3, 4, 5])('the oracle wins after wandering (%i)', (seed) => {
    const environment = make({ receptacles: 12 });
    const stream = testHost(seed).random;
    environment.reset(`house-r12/kitchen-${seed}/pick_cool_then_place_in_recep/${seed}`);
    for (let turn = 0; turn < 40; turn += 1)
      if (environment.step(environment.act('random', { random: stream })).terminated) return;
    for (let turn = 0; turn < 15; turn += 1)
      if (environment.step(environment.act('oracle', { random })).terminated) return;
    expect.fail('the oracle did not win in 15 turns');
  });

  it('the searcher uses only what it has seen', () => {
    const environment = make();
    let opened = 0;
    for (let seed = 0; seed < 12; seed += 1) {
      const { steps, observations } = playAs(
        'searcher',
        environment,
        `house/kitchen-${seed}/pick_and_place_simple/${seed}`,
      );
      expect(steps.at(-1)!.terminated).toBe(true);
      for (const [turn, { action }] of steps.entries()) {
        const [, thing] = /^take (\S+ \d+) from/.exec(action) ?? [];
        if (thing === undefined) continue;
        // The thing was told by an answer before.
        const told = observations
          .slice(0, turn + 1)
          .map((text) => text.split('\nActions: ')[0])
          .join('\n');
        expect(told).toContain(thing);
        opened += 1;
      }
    }
    expect(opened).toBeGreaterThan(8);
  });

  it('players differ: the oracle is quicker than the searcher, and it than the demonstrator', () => {
    const environment = make();
    const turns = (player: string) => {
      let sum = 0;
      for (let seed = 0; seed < 10; seed += 1)
        sum += playAs(player, environment, `house/kitchen-${seed}/pick_cool_then_place_in_recep/${seed}`, 100).steps
          .length;
      return sum / 10;
    };
    const [oracle, searcher, demonstrator] = ['oracle', 'searcher', 'demonstrator'].map(turns) as [
      number,
      number,
      number,
    ];
    expect(oracle).toBeLessThan(8);
    expect(searcher).toBeGreaterThan(oracle + 2);
    expect(demonstrator).toBeGreaterThan(searcher + 2);
  });

  it('refuses unknown players and play before a start', () => {
    const environment = make();
    expect(() => environment.step('look')).toThrow('ALFWorld needs reset() first');
    environment.reset(light);
    expect(() => environment.act('wizard', { random })).toThrow('ALFWorld has no player "wizard"');
  });
});

describe('the view', () => {
  it('lists all commands, or those that do something, or none', () => {
    const list = (options: object) => make(options).reset(light).split('\nActions: ')[1]?.split('; ');
    expect(list({})).toEqual(expect.arrayContaining(['help', 'inventory', 'look']));
    expect(list({ commands: 'acting' })!.every((command) => command.startsWith('go to '))).toBe(true);
    expect(list({ listActions: false })).toBeUndefined();
    const environment = make({ commands: 'acting' });
    environment.reset(light);
    expect(environment.step('inventory').facts.invalid).toBe(false);
    expect(environment.admissible()).toContain('inventory');
    for (let turn = 0; turn < 50; turn += 1) expect(environment.act('random', { random })).toMatch(/^go to /);
  });

  it('repeats the place and the inventory if it is asked to', () => {
    const environment = make({ observe: 'room', listActions: false });
    environment.reset(heat);
    const { steps } = playAs('oracle', environment, heat, 3);
    const { observation } = steps.find(({ action }) => action.startsWith('take'))!;
    expect(observation).toMatch(/^You pick up the (\S+ \d+) from .*You are facing the .*You are carrying: a \1\.$/s);
  });
});

describe('as AgentGym plays', () => {
  const loc = smallGame(1).replace('You arrive at {r.name}. ', 'You arrive at loc 7. ');
  const play = (compat: 'agentgym' | 'alfworld') => {
    const environment = make({ game: 'files', games: folderOf({ 'a.tw-pddl': loc }), compat, listActions: false });
    const start = environment.reset('a');
    const [go] = environment.admissible().filter((command) => command.startsWith('go to '));
    return [start, environment.step(go!).observation] as const;
  };

  it('the welcome, the empty lines, and numbers of places are left out', () => {
    const [start, arrival] = play('agentgym');
    const [original, place] = play('alfworld');
    expect(original).toMatch(/^-= Welcome to TextWorld, ALFRED! =-\n\nYou are .*\n\nYour task/s);
    expect(start).toBe(original.split('\n\n').slice(1).join('\n'));
    expect(place).toBe(`You arrive at loc 7. ${arrival}`);
  });
});

describe('a snapshot', () => {
  it('keeps what was seen, and progress', () => {
    const environment = make();
    playAs('searcher', environment, heat, 6);
    const saved = JSON.parse(JSON.stringify(environment.snapshot())) as never;
    const rest = (each: AlfWorld) => {
      const actions = [];
      const stream = testHost(2).random;
      for (let turn = 0; turn < 40; turn += 1) {
        const action = each.act('searcher', { random: stream });
        actions.push([action, each.step(action)]);
        if (each.admissible().length === 0) break;
      }
      return actions;
    };
    const ours = rest(environment);
    const other = make();
    other.restore(saved);
    expect(rest(other)).toEqual(ours);
  });
});
