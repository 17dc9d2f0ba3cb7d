import { describe, expect, it } from 'vitest';

import type { Facts } from '../contracts/facts.js';
import type { PlayerTurn, TextPlayer } from '../contracts/player.js';
import { collectEpisodes } from './collect-episodes.js';
import { collectOptions, keys } from './fixtures/collect.js';
import { Signals, singleWord } from './fixtures/signals.js';

/** Answers by what the conversation shows. */
function textPlayer(act: TextPlayer['act'], concurrency = 4): TextPlayer {
  return { name: 'wire', concurrency, act, describe: () => ({ model: 'none' }) };
}

const right: { readonly [observation: string]: string } = { red: 'stop', amber: 'wait', green: 'go' };

/** The right answer to the last signal. */
const solve = ({ observations }: PlayerTurn): string => right[observations.at(-1)?.split(' ').at(-1) ?? ''] ?? 'quit';

const play = (player: TextPlayer, create?: () => Signals) =>
  collectEpisodes(keys(6, 1), collectOptions({ actor: { kind: 'player', player, format: singleWord } }, create));

describe('text models', () => {
  it('write in a format, and may be cut', async () => {
    const player = textPlayer((turn) =>
      turn.texts.length === 0 ? { text: 'I say stop', cut: true } : { text: solve(turn) },
    );
    const [episode] = await play(player);
    expect(episode).toMatchObject({ status: 'completed' });
    // The malformed text did not reach the game, which showed the reply of the format.
    expect(episode!.turns[0]).toMatchObject({ text: 'I say stop', malformed: 'more than one word', cut: true });
    expect(episode!.turns[0]).not.toHaveProperty('action');
    expect(episode!.turns[1]).toMatchObject({ observation: 'Louder !', cut: false });
  });

  it('play as many episodes at a time as they can', async () => {
    let [now, most] = [0, 0];
    const player = textPlayer(async (turn) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
      return solve(turn);
    }, 2);
    expect((await play(player)).every((episode) => episode.status === 'completed' && episode.success)).toBe(true);
    expect(most).toBe(2);
  });

  it('end the whole collection if they cannot play on, and fail one episode otherwise', async () => {
    const down = textPlayer(() => Promise.reject(Object.assign(new Error('nobody listens'), { code: 'UNAVAILABLE' })));
    await expect(play(down)).rejects.toMatchObject({
      code: 'AG_PLAYER_UNAVAILABLE',
      message: 'The player "wire" cannot continue: nobody listens',
    });
    let broken = 2;
    const shaky = textPlayer((turn) => {
      if (turn.task !== 'train-0' || broken === 0) return solve(turn);
      broken -= 1;
      throw new Error('half an answer');
    });
    const [first, ...others] = await play(shaky);
    // One retry is allowed.
    expect(first).toMatchObject({
      status: 'failed',
      failure: { phase: 'player', message: 'half an answer' },
      turns: [],
    });
    expect(others.every(({ status }) => status === 'completed')).toBe(true);
  });

  it('truncate an episode whose conversation fills their context', async () => {
    const player = textPlayer((turn) => (turn.texts.length === 2 ? { full: true } : solve(turn)));
    for (const episode of await play(player)) {
      expect(episode).toMatchObject({ status: 'completed', terminated: false, truncated: 'tokens', success: false });
      expect(episode.turns).toHaveLength(2);
      expect(episode.turns.map(({ reward }) => reward)).toEqual([1 / 3, expect.closeTo(1 / 3, 12)]);
    }
    const atOnce = await play(textPlayer(() => ({ full: true })));
    expect(atOnce[0]).toMatchObject({ status: 'completed', truncated: 'tokens', turns: [], return: 0 });
  });

  // Goes red when the last turn keeps the facts and the reward from before the grade.
  it('let the environment grade such an episode', async () => {
    class Graded extends Signals {
      conclude(cause: 'horizon' | 'tokens'): { reward: number; facts: Facts } {
        const progress = this.right / 3;
        return { reward: 7, facts: { success: cause === 'tokens', invalid: false, progress } };
      }
    }
    const player = textPlayer((turn) => (turn.texts.length === 2 ? { full: true } : solve(turn)));
    const [episode] = await play(player, () => new Graded());
    expect(episode).toMatchObject({
      truncated: 'tokens',
      success: true,
      return: expect.closeTo(2 / 3 + 1, 12) as number,
    });
    expect(episode!.turns.map(({ native }) => native)).toEqual([0, 7]);
    // Nothing was done, as where a prompt leaves a policy no room.
    const [atOnce] = await play(
      textPlayer(() => ({ full: true })),
      () => new Graded(),
    );
    expect(atOnce).toMatchObject({ turns: [], success: false });
  });
});
