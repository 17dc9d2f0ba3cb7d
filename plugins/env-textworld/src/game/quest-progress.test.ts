import { describe, expect, it } from 'vitest';

import { recordedGame } from './fixtures/recorded-games.js';
import { event, quest, smallGame, twoRooms } from './fixtures/small-game.js';
import { GameState } from './game-state.js';
import type { Quest } from './game.js';
import { QuestProgress, type Backend } from './quest-progress.js';

/** A game with these quests, and a way to play it by commands. */
function playing(quests: readonly Quest[], backend: Backend = 'story'): { play(...commands: string[]): QuestProgress } {
  const game = smallGame(twoRooms, quests);
  const state = GameState.start(game);
  const progress = QuestProgress.start(game, { backend, policy: true });
  return {
    play(...commands) {
      for (const command of commands) {
        const action = state.actionFor(command);
        if (action) state.apply(action);
        progress.update(action, state);
      }
      return progress;
    },
  };
}

const takeFood = quest({
  reward: 2,
  wins: [event(['in f_0 I'], ['go/east P r_0 r_1', 'take P r_1 f_0 I'])],
});
const openChest = quest({ wins: [event(['open c_0'], ['open/c P r_0 c_0'])] });

describe('score and end', () => {
  it('come with the events of the quests', () => {
    const { play } = playing([takeFood, openChest]);
    expect(play('open c 0')).toMatchObject({ score: 1, won: false, done: false, completedQuests: [false, true] });
    expect(play('close c 0', 'go east')).toMatchObject({ score: 1, done: false });
    expect(play('take f 0')).toMatchObject({ score: 3, won: true, lost: false, done: true, reward: 1 });
  });

  it('need one of several events, and all facts of an event', () => {
    const both = quest({ wins: [event(['in o_2 I', 'in o_10 I']), event(['in f_0 I', 'open c_0'])] });
    const { play } = playing([both]);
    expect(play('take o 2')).toMatchObject({ won: false });
    expect(play('drop o 2', 'take o 10')).toMatchObject({ won: false });
    expect(play('take o 2')).toMatchObject({ won: true, score: 1 });
  });

  it('do not need optional quests, whose fail events end a story all the same', () => {
    const optional = quest({ wins: [event(['in o_10 I'])], fails: [event(['in o_2 I'])], optional: true, reward: 5 });
    expect(playing([openChest, optional]).play('open c 0')).toMatchObject({ won: true, score: 1 });
    expect(playing([openChest, optional]).play('take o 2')).toMatchObject({ won: false, lost: true, reward: -1 });
    expect(playing([openChest, optional], 'json').play('take o 2')).toMatchObject({ lost: false, done: false });
    expect(playing([openChest, optional], 'json').play('take o 10')).toMatchObject({ score: 5, done: false });
  });

  it('are decided by the fail event where a quest is completed and failed at once', () => {
    const risky = quest({ wins: [event(['in o_2 I'])], fails: [event(['in o_2 I'])] });
    expect(playing([risky]).play('take o 2')).toMatchObject({ won: false, lost: true, score: 0, reward: -1 });
    expect(playing([risky], 'json').play('take o 2')).toMatchObject({ won: true, lost: true, score: 1, reward: 1 });
  });

  it('count a repeatable quest in every turn that its event holds', () => {
    const hold = quest({ wins: [event(['in o_2 I'])], optional: true, repeatable: true });
    expect(playing([openChest, hold]).play('take o 2', 'look', 'drop o 2', 'look')).toMatchObject({ score: 2 });
    const tracked = playing([openChest, hold], 'json').play('take o 2', 'look', 'drop o 2', 'look');
    expect(tracked).toMatchObject({ score: 2, completedQuests: [false, true] });
  });

  it('count what holds at the start from the first turn of a story on, without a story at once', () => {
    const now = quest({ wins: [event(['closed c_0'])] });
    const game = smallGame(twoRooms, [now]);
    expect(QuestProgress.start(game)).toMatchObject({ won: false, score: 0 });
    expect(QuestProgress.start(game, { backend: 'json', policy: true })).toMatchObject({ won: true, score: 1 });
    expect(playing([now]).play('look')).toMatchObject({ won: true, score: 1 });
  });

  it('leave out of a story what Inform has no sentence for', () => {
    const free = quest({ wins: [event(['in o_2 I', 'free r_0 r_5'])] });
    const game = smallGame([...twoRooms, 'at s_5 r_5'], [free]);
    for (const backend of ['story', 'json'] as const) {
      const state = GameState.start(game);
      const progress = QuestProgress.start(game, { backend, policy: true });
      const take = state.actionFor('take o 2')!;
      state.apply(take);
      progress.update(take, state);
      expect(progress.won).toBe(backend === 'story');
    }
  });
});

describe('the policy', () => {
  const rules = (progress: QuestProgress): string[] | undefined => progress.winningPolicy()?.map(({ rule }) => rule);

  it('becomes shorter on the way, and longer aside; rewards follow it', () => {
    const { play } = playing([takeFood]);
    expect(rules(play())).toEqual(['go/east', 'take']);
    expect(play('look')).toMatchObject({ reward: 0 });
    expect(play('go east')).toMatchObject({ reward: 1 });
    expect(rules(play('go west'))).toEqual(['go/east', 'take']);
    expect(play()).toMatchObject({ reward: -1 });
    expect(play('go east', 'take f 0')).toMatchObject({ reward: 1, won: true });
    expect(rules(play())).toBeUndefined();
  });

  it('joins the quests that are left', () => {
    const { play } = playing([takeFood, openChest]);
    expect(rules(play())).toEqual(['open/c', 'go/east', 'take']);
    expect(rules(play('go east'))).toEqual(['take', 'go/west', 'open/c']);
  });

  it('is lost with what nothing undoes, which loses the game without a story', () => {
    const keep = quest({
      wins: [event(['at f_0 r_0'], ['go/east P r_0 r_1', 'take P r_1 f_0 I', 'go/west P r_1 r_0', 'drop P r_0 f_0 I'])],
    });
    const commands = ['go east', 'take f 0', 'eat f 0'];
    const told = playing([keep]).play(...commands);
    expect(told).toMatchObject({ lost: false, done: false, reward: 0 });
    expect(rules(told)).toBeUndefined();
    expect(playing([keep], 'json').play(...commands)).toMatchObject({ lost: true, reward: -1 });
  });

  it('is not kept where it is not wanted', () => {
    const game = smallGame(twoRooms, [openChest]);
    const state = GameState.start(game);
    const progress = QuestProgress.start(game, { backend: 'story', policy: false });
    const open = state.actionFor('open c 0')!;
    expect(progress.winningPolicy()).toBeUndefined();
    state.apply(open);
    progress.update(open, state);
    expect(progress).toMatchObject({ won: true, score: 1, reward: 1 });
  });
});

describe('copies and keys', () => {
  it('go their own ways; keys tell them apart', () => {
    const game = recordedGame('tw-simple-dense');
    const state = GameState.start(game);
    const progress = QuestProgress.start(game);
    const copy = progress.copy();
    const other = state.copy();
    expect(copy.key()).toBe(progress.key());
    for (const { rule, before } of copy.winningPolicy()!.slice(0, 3)) {
      const action = other
        .actions()
        .find(
          (each) =>
            each.rule === rule &&
            each.before.every(
              (f, i) =>
                f.name === before[i]!.name && f.entities.every(({ id }, e) => id === before[i]!.entities[e]!.id),
            ),
        )!;
      other.apply(action);
      copy.update(action, other);
    }
    expect(copy.score).toBeGreaterThan(0);
    expect(progress).toMatchObject({ score: 0, won: false });
    expect(progress.key()).toBe(QuestProgress.start(game).key());
    expect(copy.key()).not.toBe(progress.key());
    expect(copy.copyWithoutPolicy()).toMatchObject({ score: copy.score, won: false, lost: false });
  });
});
