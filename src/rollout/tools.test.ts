// Turns that call a tool. The file is long because its tests share one game.
import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { Player, PlayerTurn } from '../contracts/player.js';
import type { RewardScheme, RewardTurn } from '../contracts/reward.js';
import type { Tool } from '../contracts/tool.js';
import type { CompletedEpisode, Episode } from '../contracts/trajectory.js';
import { systemPrompt } from './actor.js';
import { buildBatch, rowsOfEpisode } from './build-batch.js';
import { collectDemonstrations } from './collect-demonstrations.js';
import { writeDemonstration } from './write-demonstration.js';
import { collectEpisodes, type CollectOptions } from './collect-episodes.js';
import { composeReward } from './compose-reward.js';
import { collectOptions, keys, modelActor, rolloutSettings, signalSplits } from './fixtures/collect.js';
import { dice, roller, toolbox } from './fixtures/dice.js';
import { Signals, singleWord } from './fixtures/signals.js';
import { summarizeEpisodes } from './summarize-episodes.js';
import { Toolbox } from './toolbox.js';

const completed = (episodes: readonly Episode[]): CompletedEpisode[] =>
  episodes.filter((episode) => episode.status === 'completed');

/** A player that says these texts one after the other. */
const scripted = (...texts: string[]): Player & { readonly seen: PlayerTurn[] } => {
  const seen: PlayerTurn[] = [];
  return {
    name: 'script',
    seen,
    act(turn) {
      seen.push(turn);
      return texts[turn.texts.length] ?? 'quit';
    },
  };
};

/** One episode of a script with tools. */
async function play(tools: Toolbox, texts: readonly string[], changes: Partial<CollectOptions> = {}): Promise<Episode> {
  const actor = { kind: 'player', player: scripted(...texts), tools } as const;
  const [episode] = await collectEpisodes(keys(1, 1), collectOptions({ actor, ...changes }));
  return episode!;
}

/** Runs a call in the dice's sessions. */
const running = (run: Awaited<ReturnType<Tool['begin']>>['run']): Tool => dice({ begin: () => ({ run }) });

describe('a turn that calls a tool', () => {
  // Goes red when the state of a turn is the one after its action, or when a turn that does not step the environment
  // loses it.
  it('starts from the same state as the turn after it, and so does a malformed turn', async () => {
    class Telling extends Signals {
      stateKey(): string {
        return String(this.turns);
      }
    }
    const model = roller();
    const actor = modelActor(model, { maxActionTokens: 2, tools: toolbox(dice()) });
    const settings = { actor, horizon: 12, states: true };
    const played = completed(
      await collectEpisodes(
        keys(4, 4),
        collectOptions(settings, () => new Telling()),
      ),
    );
    const turns = played.flatMap((episode) =>
      episode.turns.map((turn, place) => ({ turn, next: episode.turns[place + 1] })),
    );
    for (const { turn, next } of turns) {
      expect(turn.startState).toMatch(/^[\w-]{16}$/);
      if (next !== undefined) expect(next.startState === turn.startState).toBe(turn.action === undefined);
    }
    expect(turns.some(({ turn, next }) => next !== undefined && turn.calls !== undefined)).toBe(true);
    expect(turns.some(({ turn, next }) => next !== undefined && turn.malformed !== undefined)).toBe(true);
    const { turn, startState } = buildBatch(played.flatMap(rowsOfEpisode), 1);
    const numbers = [...startState!].filter((_, index) => turn[index] !== -1);
    expect(new Set(numbers).size).toBe(new Set(turns.map((one) => one.turn.startState)).size);
    const silent = completed(
      await collectEpisodes(
        keys(1, 1),
        collectOptions({ actor }, () => new Telling()),
      ),
    );
    expect(silent[0]!.turns.some((one) => 'startState' in one)).toBe(false);
  });

  // Goes red when `step` still passes the text to the environment, or when `toolStep` sets `invalid: true`.
  it('is answered by the tool, and leaves the environment where it was', async () => {
    const steps: string[] = [];
    class Watched extends Signals {
      override step(action: string): ReturnType<Signals['step']> {
        steps.push(action);
        return super.step(action);
      }
    }
    const actor = {
      kind: 'player',
      player: scripted('roll', 'stop', 'what is it', 'roll', 'quit'),
      tools: toolbox(dice()),
    } as const;
    const [episode] = completed(
      await collectEpisodes(
        keys(1, 1),
        collectOptions({ actor }, () => new Watched()),
      ),
    );
    expect(steps).toEqual(['stop', 'what is it', 'quit']);
    const [first, , third, fourth, fifth] = episode!.turns;
    expect(first).toMatchObject({ facts: { success: false, invalid: false }, native: 0, text: 'roll' });
    expect(first).not.toHaveProperty('action');
    expect(first!.calls![0]).toEqual({ name: 'dice', status: 'answered', call: null, outputCharacters: 8 });
    expect(episode!.turns[1]!.observation).toMatch(/^rolled \d$/);
    expect(third!.facts).toMatchObject({ progress: 1 / 3, invalid: true });
    expect(fourth!.facts).toEqual({ ...third!.facts, invalid: false });
    expect(fifth!.observation).toMatch(/^rolled \d$/);
    expect(episode!.turns).toHaveLength(5);
  });

  // Goes red when a tool's turn does not count in `#capReached`, or ends the episode by itself.
  it('counts towards the horizon, and its output is the last thing seen where that cuts the episode', async () => {
    const episode = await play(toolbox(dice()), ['roll', 'roll', 'roll', 'roll'], { horizon: 3 });
    expect(episode).toMatchObject({ truncated: 'horizon', terminated: false });
    expect(episode.turns).toHaveLength(3);
    expect((episode as CompletedEpisode).finalObservation).toMatch(/^rolled/);
  });

  it('is told to reward schemes', async () => {
    const told: (NonNullable<RewardTurn['calls']>[number] | 'action')[] = [];
    const scheme: RewardScheme = {
      density: 'turn',
      score: (turn: RewardTurn) => {
        told.push(turn.calls?.[0] ?? 'action');
        return turn.calls === undefined ? 0 : turn.calls[0]!.failed ? -2 : -1;
      },
      bounds: () => ({ success: [0, 0], failure: [0, 0] }),
    };
    const reward = composeReward([{ name: 'price', weight: 0.5, scheme }]);
    const episode = await play(toolbox(dice()), ['roll', 'roll twice', 'stop', 'quit'], { reward });
    expect(told).toEqual([{ name: 'dice', failed: false }, { name: 'dice', failed: true }, 'action', 'action']);
    expect((episode as CompletedEpisode).return).toBe(-1.5);
  });

  it('says what was wrong with a call that cannot be read, and when no calls are left', async () => {
    const asked: unknown[] = [];
    const tool = running((call) => ({ output: `answer ${asked.push(call)}` }));
    const texts = ['roll twice', 'roll', 'roll', 'roll', 'quit'];
    const { turns } = await play(toolbox(tool, { maxCalls: 2 }), texts);
    expect(turns.map(({ calls }) => calls?.[0]?.status)).toEqual([
      'malformed',
      'answered',
      'answered',
      'refused',
      undefined,
    ]);
    expect(turns.slice(1).map(({ observation }) => observation)).toEqual([
      'dice: roll stands alone',
      'answer 1',
      'answer 2',
      'dice: no calls are left',
    ]);
    expect(asked).toHaveLength(2);
  });

  it('cuts a long output, with a mark, and never through a character', async () => {
    const tool = running(() => ({ output: `abc${'\u{1F3B2}'.repeat(10)}` }));
    const { turns } = await play(toolbox(tool, { maxOutputCharacters: 6 }), ['roll', 'quit']);
    expect(turns[1]!.observation).toBe('abc\n[cut: 18 of 23 characters left out]\n\u{1F3B2}');
    expect(turns[0]!.calls![0]!.outputCharacters).toBe(23);
    const whole = await play(toolbox(tool, { maxOutputCharacters: 23 }), ['roll', 'quit']);
    expect(whole.turns[1]!.observation).toBe(`abc${'\u{1F3B2}'.repeat(10)}`);
  });

  it('goes to the first tool that claims the text', async () => {
    const named = ['one', 'two'].map((name) => ({
      name,
      tool: {
        ...running(() => ({ output: name })),
        ...(name === 'one' && { parse: (text: string) => (text === 'roll one' ? { call: 1 } : undefined) }),
      },
    }));
    const box = new Toolbox(named, { maxOutputCharacters: 100, milliseconds: 1000 });
    const { turns } = await play(box, ['roll', 'roll one', 'quit']);
    expect(turns.map(({ calls }) => calls?.[0]?.name)).toEqual(['two', 'one', undefined]);
    expect(box.instructions).toBe('Say roll to roll.\nSay roll to roll.');
  });
});

describe('tokens', () => {
  // Goes red when `take` omits a tool's output, or when the output gets mask 1.
  it('has the output in the sequence with mask 0, and trains what was sampled', async () => {
    const model = roller();
    const actor = modelActor(model, { tools: toolbox(dice()) });
    const episodes = completed(await collectEpisodes(keys(3, 4), collectOptions({ actor })));
    let calls = 0;
    for (const { turns, sequences: [record] = [], finalObservation, terminated } of episodes) {
      const { tokens, mask } = record!;
      let expected: number[] = [
        ...model.encoder.begin('Answer the signal.\n\nSay roll to roll.', turns[0]!.observation),
      ];
      let sampled: number[] = expected.map(() => 0);
      for (const [index, turn] of turns.entries()) {
        const action = tokens.slice(...turn.sampled!);
        const end = turn.cut ? [...model.encoder.endIds] : [];
        const isLast = index + 1 === turns.length;
        const next = turns[index + 1]?.observation ?? finalObservation;
        const seen = isLast && terminated ? [] : model.encoder.append(next);
        expected = [...expected, ...action, ...end, ...seen];
        sampled = [...sampled, ...action.map(() => 1), ...end.map(() => 0), ...seen.map(() => 0)];
        if (turn.calls === undefined) continue;
        calls += 1;
        expect(next).toMatch(turn.calls[0]!.status === 'answered' ? /^rolled \d$/ : /^dice: /);
      }
      expect(tokens).toEqual(expected);
      expect(mask).toEqual(sampled);
    }
    expect(calls).toBeGreaterThan(5);
    const batch = buildBatch(episodes.flatMap(rowsOfEpisode), 1);
    const trained = await model.logprobs(batch);
    batch.mask.forEach((one, index) => {
      if (one === 1) expect(Math.abs(trained[index]! - batch.logprobs[index]!)).toBeLessThan(1e-12);
    });
  });
});

describe('streams and sessions', () => {
  // Goes red when sessions are shared between episodes, or when a call's stream is not keyed by its turn and attempt.
  it('plays the same episodes however many are in flight, whatever was played before', async () => {
    const collect = (inFlight: number, tools = toolbox(dice())) =>
      collectEpisodes(
        keys(3, 4),
        collectOptions({ actor: modelActor(roller(), { tools }), rollout: { ...rolloutSettings, inFlight } }),
      );
    const all = await Promise.all([1, 3, 100].map((inFlight) => collect(inFlight)));
    expect(all[1]).toEqual(all[0]);
    expect(all[2]).toEqual(all[0]);
    const used = toolbox(dice());
    await collect(4, used);
    expect(await collect(4, used)).toEqual(all[0]);
    const answers = completed(all[0]!).flatMap(({ turns }) =>
      turns.flatMap((turn, index) => (turn.calls ? [turns[index + 1]?.observation] : [])),
    );
    expect(new Set(answers).size).toBeGreaterThan(4);
  });

  it('begins a session with the first call of an episode, and disposes of it at its end', async () => {
    const log: string[] = [];
    let begun = 0;
    const tool = dice({
      begin() {
        const number = (begun += 1);
        log.push(`begin ${number}`);
        return { run: () => ({ output: `${number}` }), dispose: () => void log.push(`dispose ${number}`) };
      },
      dispose: () => void log.push('dispose'),
    });
    const tools = toolbox(tool);
    await play(tools, ['quit']);
    expect(log).toEqual([]);
    await play(tools, ['roll', 'roll', 'quit']);
    await play(tools, ['roll', 'quit']);
    await tools.dispose();
    expect(log).toEqual(['begin 1', 'dispose 1', 'begin 2', 'dispose 2', 'dispose']);
  });

  it('disposes of sessions of episodes that were interrupted, of those too that were just being begun', async () => {
    const disposed: string[] = [];
    const stop = new AbortController();
    const slow = (name: string, begin: number): Tool =>
      dice({
        parse: (text) => (text === name ? { call: null } : undefined),
        async begin() {
          await wait(begin);
          return {
            run: () => wait(10_000, { output: 'late' }, { ref: false }),
            dispose: () => void disposed.push(name),
          };
        },
      });
    const box = new Toolbox(
      [
        { name: 'now', tool: slow('now', 0) },
        { name: 'then', tool: slow('then', 60) },
      ],
      { maxOutputCharacters: 100, milliseconds: 5000 },
    );
    const player: Player = { name: 'two', act: ({ random }) => random.choice(['now', 'then']) };
    const options = collectOptions({ actor: { kind: 'player', player, tools: box }, signal: stop.signal });
    const collecting = collectEpisodes(keys(2, 4), options);
    await wait(30);
    stop.abort();
    await expect(collecting).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
    await wait(60);
    await box.dispose();
    expect(new Set(disposed)).toEqual(new Set(['now', 'then']));
  });

  // Goes red when a call leaves its listener on the signal. Goes red when each concurrent call has a separate listener:
  // Node warns about many listeners.
  it('leaves no listeners and no timers behind', async () => {
    const { signal } = new AbortController();
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const warnings: string[] = [];
    const hear = ({ name }: Error) => void warnings.push(name);
    process.on('warning', hear);
    const player: Player = { name: 'roller', act: ({ texts }) => (texts.length < 3 ? 'roll' : 'quit') };
    const rollout = { ...rolloutSettings, inFlight: 20 };
    const actor = { kind: 'player', player, tools: toolbox(dice()) } as const;
    await collectEpisodes(keys(1, 20), collectOptions({ actor, rollout, signal }));
    await wait(1);
    process.off('warning', hear);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBeLessThanOrEqual(before);
  });
});

describe('a tool that breaks', () => {
  // Law 5. Goes red when the agent sees the errors of a tool: it would learn not to call while the server is down.
  it('fails the episode, which is played again with a session of its own', async () => {
    let begun = 0;
    const tool = dice({
      begin() {
        const number = (begun += 1);
        return {
          run() {
            if (number === 1) throw new Error('the server is down');
            return { output: `session ${number}` };
          },
        };
      },
    });
    const again = await play(toolbox(tool), ['roll', 'quit']);
    expect(again).toMatchObject({ status: 'completed', retries: 1 });
    expect(again.turns[1]!.observation).toBe('session 2');
    begun = 0;
    const lost = await play(toolbox(tool), ['roll', 'quit'], { rollout: { ...rolloutSettings, retries: 0 } });
    expect(lost).toMatchObject({ status: 'failed', failure: { phase: 'tool', message: 'the server is down' } });
  });

  it.each([
    [
      'parse',
      dice({
        parse: () => {
          throw new Error('no such letter');
        },
      }),
      'no such letter',
    ],
    ['begin', dice({ begin: () => Promise.reject(new Error('no disk')) }), 'no disk'],
    [
      'an answer of another shape',
      running(() => 'three' as never),
      'the answer of the tool "dice" must be an object, not "three"',
    ],
  ])('fails the episode by its %s', async (_, tool, message) => {
    const episode = await play(toolbox(tool), ['roll'], { rollout: { ...rolloutSettings, retries: 0 } });
    expect(episode).toMatchObject({ status: 'failed', failure: { phase: 'tool', message } });
  });

  // Law 4: a deadline is `failed`. Goes red when the wait for a call never ends.
  it('has failed by its deadline where it does not stop when it is asked to', async () => {
    const tool = running(() => new Promise(() => undefined));
    const episode = await play(toolbox(tool, { milliseconds: 20 }), ['roll'], {
      rollout: { ...rolloutSettings, retries: 0 },
    });
    expect(episode).toMatchObject({ status: 'failed', failure: { phase: 'deadline' } });
  });

  it('answers for itself where it stops when its time is up: the agent asked for too much', async () => {
    const tool = running(
      (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ output: 'took too long', failed: true })),
        ),
    );
    const { turns } = await play(toolbox(tool, { milliseconds: 20 }), ['roll', 'quit']);
    expect(turns[0]!.calls![0]).toMatchObject({ status: 'failed' });
    expect(turns[1]!.observation).toBe('took too long');
  });
});

describe('who may call', () => {
  it('is told how: players with tools, and models, in demonstrations too', async () => {
    const player = scripted('quit');
    const tools = toolbox(dice(), { maxCalls: 1 });
    await collectEpisodes(keys(1, 1), collectOptions({ actor: { kind: 'player', player, tools } }));
    const prompt = 'Answer the signal.\n\nSay roll to roll.\nTools answer 1 call at most.';
    expect(player.seen[0]!.system).toBe(prompt);
    expect(systemPrompt('Answer the signal.', singleWord, tools)).toBe(prompt);
    const { episodes } = await collectDemonstrations({
      tasks: signalSplits().train,
      environments: collectOptions().environments,
      expert: 'oracle',
      count: 2,
      horizon: 6,
      random: collectOptions().random,
      rollout: rolloutSettings,
      signal: new AbortController().signal,
    });
    const policy = { format: singleWord, tools, instructions: 'Answer the signal.' };
    const systems = episodes.map((episode) => writeDemonstration(episode, policy, 'a game').system);
    expect(systems).toEqual([prompt, prompt]);
  });

  it('is counted in the summary', async () => {
    const player: Player = {
      name: 'some',
      act: ({ texts }) => ['roll', 'roll twice', 'stop', 'roll', 'quit'][texts.length]!,
    };
    const tools = toolbox(dice(), { maxCalls: 1 });
    const episodes = await collectEpisodes(keys(2, 2), collectOptions({ actor: { kind: 'player', player, tools } }));
    expect(summarizeEpisodes(episodes)).toMatchObject({ toolCalls: { mean: 3, failed: 2 / 3 }, invalid: 0 });
    expect(tools.milliseconds).toBeGreaterThan(0);
  });
});
