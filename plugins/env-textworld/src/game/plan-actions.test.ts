import { describe, expect, it } from 'vitest';

import { recordedGame, recordedGames } from './fixtures/recorded-games.js';
import { event, quest, smallGame, twoRooms } from './fixtures/small-game.js';
import { GameState } from './game-state.js';
import { planActions } from './plan-actions.js';
import { PlanningTask } from './planning-task.js';
import { QuestProgress, type Backend } from './quest-progress.js';

function wins(state: GameState, progress: QuestProgress): boolean {
  for (const action of planActions(state, progress) ?? []) {
    if (!state.apply(action)) return false;
    progress.update(action, state);
  }
  return progress.won;
}

describe('planActions', () => {
  it.each(recordedGames.map(({ name }) => name))('wins from the start and after straying: %s', (name) => {
    const game = recordedGame(name);
    for (const backend of ['story', 'json'] as const satisfies Backend[]) {
      expect(wins(GameState.start(game), QuestProgress.start(game, { backend, policy: true }))).toBe(true);
      const state = GameState.start(game);
      const progress = QuestProgress.start(game, { backend, policy: true });
      for (let step = 0; step < 12; step++) {
        const actions = state
          .actions()
          .filter(({ adds, rule }) => adds.length > 0 && !/eat|cook|slice|dice|chop/.test(rule));
        const action = actions[(step * 7) % actions.length]!;
        const tried = state.copy();
        const after = progress.copy();
        tried.apply(action);
        after.update(action, tried);
        if (after.done) continue;
        state.apply(action);
        progress.update(action, state);
      }
      expect(wins(state, progress)).toBe(true);
    }
  });

  it('leaves out what changes nothing, and leaves the state alone', () => {
    const game = recordedGame('tw-cooking-b');
    const state = GameState.start(game);
    const progress = QuestProgress.start(game);
    const before = [state.key(), progress.key()];
    const plan = planActions(state, progress)!;
    expect(plan.every(({ adds, removes }) => adds.length + removes.length > 0)).toBe(true);
    expect(plan.length).toBeLessThan(game.walkthrough!.length);
    expect([state.key(), progress.key()]).toEqual(before);
    expect(planActions(state, progress)).toEqual(plan);
  });

  it('has nothing to do once the game is won, and no plan once it is lost', () => {
    const game = smallGame(twoRooms, [quest({ wins: [event(['open c_0'])], fails: [event(['in o_2 I'])] })]);
    for (const [command, plan] of [
      ['open c 0', []],
      ['take o 2', undefined],
    ] as const) {
      const state = GameState.start(game);
      const progress = QuestProgress.start(game);
      const action = state.actionFor(command)!;
      state.apply(action);
      progress.update(action, state);
      expect(planActions(state, progress)).toEqual(plan);
    }
  });

  it('goes round what would lose', () => {
    const goal = quest({ wins: [event(['on o_1 s_0'])], fails: [event(['in o_1 I', 'open c_0'])] });
    const game = smallGame([...twoRooms, 'in o_4 I'], [goal]);
    expect(planActions(GameState.start(game), QuestProgress.start(game))).toBeUndefined();
    const waits = quest({ wins: [event(['on o_2 s_0'])], fails: [event(['in o_2 I', 'open c_0'])] });
    const open = smallGame([...twoRooms.filter((line) => line !== 'closed c_0'), 'open c_0'], [waits]);
    const plan = planActions(GameState.start(open), QuestProgress.start(open))!;
    expect(plan.map(({ rule }) => rule)).toEqual(['close/c', 'take', 'put']);
  });

  it('waits a turn where the quest is completed by doing nothing', () => {
    const game = smallGame(twoRooms, [quest({ wins: [event(['closed c_0'])] })]);
    const plan = planActions(GameState.start(game), QuestProgress.start(game))!;
    expect(plan).toHaveLength(1);
    expect(plan[0]).toMatchObject({ adds: [], removes: [] });
  });
});

describe('PlanningTask', () => {
  it('says which fact can never hold', () => {
    const game = smallGame(twoRooms, [quest({ wins: [event(['in c_0 I'])] })]);
    expect(PlanningTask.of(game, 'story').search(GameState.start(game), [], 1000)).toEqual({
      kind: 'impossible',
      reason: 'quests[0] cannot be completed: in(c_0, I) can never hold',
      expanded: 0,
    });
  });

  it('tells an exhausted search from one that was ended', () => {
    const game = smallGame(twoRooms, [quest({ wins: [event(['in o_2 I', 'at o_2 r_1'])] })]);
    const task = PlanningTask.of(game, 'story');
    expect(task.search(GameState.start(game), [], 10_000).kind).toBe('impossible');
    expect(task.search(GameState.start(game), [], 2).kind).toBe('given-up');
  });
});
