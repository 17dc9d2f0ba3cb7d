import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { make, plain, playToEnd, worldOf } from './fixtures/play.js';
import { open } from './babyai.js';

/** What an observation as JSON holds. */
interface Shown {
  readonly mission: string;
  readonly direction: number;
  readonly image: readonly (readonly (readonly number[])[])[];
  readonly actions: readonly string[];
}

const lineOf = (text: string, place: number) => text.split('\n').at(place)!;

describe('observations', () => {
  it('in words are sentences, and a list of actions', () => {
    const text = make().reset('GoToRedBallGrey/0');
    expect(lineOf(text, 0)).toBe('Your goal: go to the red ball');
    expect(lineOf(text, 1)).toContain('There is a red ball 1 4 steps in front of you and 3 steps to your right.  ');
    expect(lineOf(text, 1)).toContain('You are facing a wall 6 steps away. You are not carrying anything.');
    expect(lineOf(text, -1)).toMatch(/^Actions: turn left; turn right; move forward; pickup grey key 1; /);
    expect(make({ listActions: false }).reset('GoToRedBallGrey/0')).not.toContain('Actions:');
  });

  it('keep the order of the instruction, which AgentGym hides', () => {
    const id = 'OpenRedBlueDoors/0';
    expect(make().reset(id)).toContain('Your goal: open the red door, then open the blue door\n');
    expect(make({ compat: 'agentgym' }).reset(id)).toContain('Your goal: open the red door, and open the blue door\n');
  });

  it('can be drawn', () => {
    const text = make({ observation: 'ascii', actions: 'primitive' }).reset('UnlockLocal/3');
    expect(text).toBe(
      [
        'Your goal: open the door',
        ...text.split('\n').slice(1, 8),
        'You are not carrying anything.',
        'Actions: left; right; forward',
      ].join('\n'),
    );
    expect(lineOf(text, 7)).toContain('^^');
    expect(text).toMatch(/##/);
  });

  it("can be the original's numbers", () => {
    const environment = make({ observation: 'json', actions: 'primitive' });
    const { mission, direction, image, actions } = JSON.parse(environment.reset('GoToRedBall/0')) as Shown;
    expect([mission, direction]).toEqual(['go to the red ball', 2]);
    expect(image.map((column) => column.length)).toEqual([7, 7, 7, 7, 7, 7, 7]);
    // The agent's own cell is free; the red ball is four steps ahead and three to the right.
    expect([image[3]![6], image[6]![2]]).toEqual([
      [1, 0, 0],
      [6, 0, 0],
    ]);
    expect(actions).toEqual(['left', 'right', 'forward']);
    expect(JSON.parse(environment.step('jump').observation)).toMatchObject({ message: 'There is no such action.' });
  });

  it('show at the start what the agent carries, which the original does not', () => {
    const look = (compat: 'corrected' | 'minigrid') => {
      const { image } = JSON.parse(make({ observation: 'json', compat }).reset('PutNextS5N2Carrying/0')) as Shown;
      return image[3]![6]![0]!;
    };
    expect(look('minigrid')).toBe(1);
    expect(look('corrected')).toBeGreaterThanOrEqual(5);
  });
});

describe('actions', () => {
  it('number things as the observation does, also where one has no way to it', () => {
    const environment = make();
    environment.reset('GoToLocal/0');
    const { observation } = environment.step('check available actions');
    for (const action of environment.admissible().filter((each) => each.startsWith('pickup '))) {
      expect(observation).toContain(`There is a ${action.slice('pickup '.length)} `);
    }
  });

  it('are read leniently', () => {
    const environment = make({ actions: 'primitive' });
    environment.reset('GoToObj/0');
    for (const text of ['Left', ' TURN  left. ', 'turn right\n']) {
      expect([text, environment.step(text).facts.invalid]).toEqual([text, false]);
    }
    const inWords = make();
    inWords.reset('GoToRedBallGrey/0');
    expect(inWords.step('Pick up  GREY key 1.').facts.invalid).toBe(false);
    expect(inWords.step('look').observation).toContain(
      'The action is not recognized. Please check valid actions.\nIn front',
    );
  });

  it('that do nothing are steps of the original, and invalid', () => {
    const environment = make({ actions: 'primitive' });
    environment.reset('GoToObj/0');
    const { facts, observation } = environment.step('drop');
    expect(facts).toMatchObject({ invalid: true, details: { steps: 1, refused: 'no-effect' } });
    expect(observation).toContain('Nothing happens.\n');
    expect(environment.step('done').facts).toMatchObject({ invalid: true, details: { steps: 2 } });
    expect(environment.step('dance').facts).toMatchObject({ invalid: true, details: { steps: 2, refused: 'unknown' } });
  });

  it('stop at a success, which AgentGym walks past', () => {
    const open = (compat: 'corrected' | 'agentgym') => {
      const environment = make({ compat });
      environment.reset('OpenRedDoor/1');
      while (!environment.admissible().some((action) => action.startsWith('toggle and'))) environment.step('turn left');
      return environment.step('toggle and go through red closed door 1');
    };
    expect(open('corrected')).toMatchObject({ terminated: true, facts: { success: true } });
    expect(open('agentgym')).toMatchObject({ terminated: false, reward: 0, facts: { success: false } });
  });

  it('open boxes', () => {
    const environment = make();
    environment.reset('KeyInBox/0');
    const played = playToEnd(environment, 'oracle');
    expect(played.map(({ action }) => action)).toContain('toggle');
    expect(played.at(-1)?.facts.success).toBe(true);
  });

  it('say why they are refused', () => {
    const environment = make();
    environment.reset('UnlockLocal/3');
    const replies = ['drop', 'toggle'].map((action) => lineOf(environment.step(action).observation, 0));
    expect(replies).toEqual([
      'You cannot drop the object, as you are not carrying anything.',
      'There is nothing in front of you that you can toggle.',
    ]);
  });
});

describe('the end', () => {
  it('pays less for more steps, or the same if it is not timed', () => {
    const play = (timed: boolean) => {
      const environment = make({ timed });
      environment.reset('OneRoomS8/0');
      return playToEnd(environment, 'oracle').at(-1)!;
    };
    const { reward, facts, observation } = play(true);
    const limit = worldOf('OneRoomS8', 0).maxSteps;
    expect(reward).toBeCloseTo(1 - (0.9 * (facts.details!['steps'] as number)) / limit);
    expect(lineOf(observation, -1)).toBe('The task is completed.');
    expect(play(false).reward).toBe(1);
  });

  it('is a failure after the wrong door of a strict level', () => {
    const environment = make({ actions: 'primitive' });
    environment.reset('OpenDoorsOrderN4Debug/0');
    let last = environment.step('left');
    const { random } = testHost(3);
    while (!last.terminated && !last.truncated) last = environment.step(environment.act('random', { random }));
    expect(last).toMatchObject({ terminated: true, reward: 0, facts: { success: false } });
    expect(last.observation).toContain('The task has failed.');
    expect(environment.step('left').facts.details).toMatchObject({ refused: 'over' });
    expect(environment.admissible()).toEqual([]);
  });

  it('comes at the limit of steps, and after as many turns', () => {
    const environment = make({ actions: 'primitive' });
    environment.reset('PutNextS4N1/0');
    const limit = worldOf('PutNextS4N1', 0).maxSteps;
    const results = Array.from({ length: limit }, (_, turn) => environment.step(turn % 2 === 0 ? 'left' : 'nonsense'));
    expect(results.findIndex(({ truncated }) => truncated)).toBe(limit - 1);
    const short = make({ maxTurns: 2, timed: false });
    short.reset('GoTo/0');
    expect([short.step('turn left').truncated, short.step('turn left').truncated]).toEqual([false, true]);
  });

  it('is withdrawn by AgentGym where it came late', () => {
    const environment = make({ compat: 'agentgym' });
    environment.reset('OneRoomS8/0');
    // More than 5/9 of the 64 steps, after which nothing brings more than 0.5.
    for (let turn = 0; turn < 40; turn += 1) environment.step('turn left');
    const played = playToEnd(environment, 'oracle').slice(0, 30);
    const late = played.find(({ observation }) => observation.includes('The task is completed.'))!;
    expect(late).toMatchObject({ terminated: false, facts: { success: false } });
    expect(late.reward).toBeGreaterThan(0);
  });
});

describe('facts', () => {
  it('count milestones: two for something that is put somewhere', () => {
    const environment = make();
    environment.reset('MoveTwoAcrossS5N2/1');
    const reached = playToEnd(environment, 'oracle').map(({ facts }) => facts.milestones!.reached);
    expect(reached.at(-1)).toBe(4);
    expect(new Set(reached)).toEqual(new Set([...reached.filter((count) => count === 0), 1, 2, 3, 4]));
    expect([...reached].sort()).toEqual(reached);
  });
});

describe('states', () => {
  it('have equal keys if only the way there differs, unless steps count', () => {
    const key = (options: object, ...actions: string[]) => {
      const environment = make({ actions: 'primitive', ...options });
      environment.reset('BossLevel/1');
      for (const action of actions) environment.step(action);
      return environment.stateKey();
    };
    expect(key({ timed: false }, 'left', 'right')).toBe(key({ timed: false }));
    expect(key({ timed: false }, 'left', 'left')).toBe(key({ timed: false }, 'right', 'right'));
    expect(key({ timed: false }, 'left')).not.toBe(key({ timed: false }));
    expect(key({ timed: true }, 'left', 'right')).not.toBe(key({ timed: true }));
    expect(key({ timed: false, maxTurns: 9 }, 'left', 'right')).not.toBe(key({ timed: false, maxTurns: 9 }));
  });

  it.each(['corrected', 'minigrid', 'agentgym'] as const)('are restored as they were: %s', (compat) => {
    const [one, other] = [make({ compat }), make({ compat })];
    one.reset('MiniBossLevel/4');
    const { random } = testHost(5);
    for (let turn = 0; turn < 40; turn += 1) {
      other.restore(one.snapshot());
      expect(other.stateKey()).toBe(one.stateKey());
      const action = one.act('demonstrator', { random });
      expect(other.step(action)).toEqual(one.step(action));
    }
  });
});

describe('players', () => {
  it('solve tasks of every level in words', () => {
    const { splits } = open(plain, testHost());
    const environment = make();
    for (let place = 0; place < 96; place += 1) {
      const id = splits.test!.id(place) as string;
      environment.reset(id);
      const last = playToEnd(environment, 'oracle').at(-1)!;
      expect([id, last.facts.success]).toEqual([id, true]);
    }
  });

  it('err in one turn of four, and still reach most goals', () => {
    const environment = make({ levels: ['PickupLoc'] });
    const successes = Array.from({ length: 20 }, (_, seed) => {
      environment.reset(`PickupLoc/${seed}`);
      return playToEnd(environment, 'demonstrator', seed).at(-1)!.facts.success;
    });
    expect(successes.filter(Boolean).length).toBeGreaterThan(14);
  });

  it('are no others', () => {
    const environment = make();
    environment.reset('GoTo/0');
    expect(() => environment.act('wizard', testHost())).toThrow('BabyAI has no player "wizard"');
    expect(() => make().stateKey()).toThrow('BabyAI needs reset() first');
  });
});
