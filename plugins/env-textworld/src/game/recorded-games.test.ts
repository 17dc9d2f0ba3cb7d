import { describe, expect, it } from 'vitest';

import { recordedGame, recordedGames, type RecordedStep } from './fixtures/recorded-games.js';
import { GameState } from './game-state.js';
import { QuestProgress, type Backend } from './quest-progress.js';

/** What the recording holds of a step, by field. */
const fieldsOf = ([, score, won, lost, reward, admissible]: RecordedStep): Record<string, unknown> => ({
  score,
  won,
  lost,
  reward,
  admissible,
});

function play(name: string, commands: readonly string[], backend: Backend): Record<string, unknown>[] {
  const game = recordedGame(name);
  const state = GameState.start(game);
  const progress = QuestProgress.start(game, { backend, policy: true });
  return commands.map((command) => {
    const action = state.actionFor(command, backend === 'story' ? 'most-needs' : 'first');
    if (action) {
      state.apply(action);
      progress.update(action, state);
    } else {
      progress.pass();
    }
    const { score, won, lost, reward } = progress;
    return { score, won, lost, reward, admissible: state.admissible() };
  });
}

function corrected(
  fields: Record<string, unknown>,
  differences: readonly (readonly [number, string, unknown])[],
): void {
  for (const [, field, value] of differences) {
    if (field !== 'admissible') {
      fields[field] = value;
      continue;
    }
    const [more, less] = value as readonly [readonly string[], readonly string[]];
    const both = (fields['admissible'] as readonly string[]).filter((command) => !less.includes(command));
    fields['admissible'] = [...both, ...more].sort();
  }
}

describe.each(recordedGames)('$name', ({ name, play: recorded, jsonBackend, tracked }) => {
  it('starts with the admissible commands of the original', () => {
    expect(GameState.start(recordedGame(name)).admissible()).toEqual(recorded.walkthrough[0]?.[5]);
  });

  it.each(['walkthrough', 'random'] as const)('is played as the compiled story: %s', (kind) => {
    const steps = recorded[kind].slice(1);
    const played = play(
      name,
      steps.map(([command]) => command),
      'story',
    );
    expect(played).toEqual(steps.map(fieldsOf));
  });

  it.each(['walkthrough', 'random'] as const)('is played as without a story: %s', (kind) => {
    const steps = recorded[kind].slice(1);
    const expected = steps.map(fieldsOf);
    expected.forEach((fields, index) => {
      corrected(
        fields,
        jsonBackend[kind].filter(([step]) => step === index + 1),
      );
    });
    expect(
      play(
        name,
        steps.map(([command]) => command),
        'json',
      ),
    ).toEqual(expected);
  });

  it('has the winning policies of the original', () => {
    const game = recordedGame(name);
    const state = GameState.start(game);
    const progress = QuestProgress.start(game, { backend: 'json', policy: true });
    const played = tracked.map(([number]) => {
      const action = state.actions()[number]!;
      state.apply(action);
      progress.update(action, state);
      const policy = progress.winningPolicy()?.map(({ rule }) => rule) ?? null;
      const deeds = policy?.filter((rule) => !rule.startsWith('go/')).length ?? 0;
      expect(progress.remaining()).toEqual(policy === null ? undefined : { actions: policy.length, deeds });
      return [number, policy, progress.score, progress.won, progress.lost];
    });
    expect(played).toEqual(tracked);
    expect(tracked.length).toBeGreaterThan(0);
  });
});
