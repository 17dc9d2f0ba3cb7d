import { expect, it } from 'vitest';

import type { ListedRun } from '../live-data.js';
import { searchedText, settingColumns, type RunFacts } from './run-columns.js';

// Goes red when two settings have the same name, such as the steps of two stages.
it('names settings by as much of their keys as tells them apart', () => {
  const settings = {
    'stages.sft.demonstrations.count': 12800,
    'stages.sft.steps': 80,
    'stages.rl.steps': 250,
    'stages.rl.optimizer.name': 'muon',
    'evaluation.every': 50,
  };
  const facts = {
    seed: 1,
    algorithm: 'grpo',
    settings,
    finals: [],
    steps: 1,
    seconds: 1,
    status: 'completed',
  } satisfies RunFacts;
  const [, joined] = settingColumns([facts]);
  expect(joined!.cell(facts)).toBe(
    'demonstrations.count 12,800, sft.steps 80, rl.steps 250, optimizer.name muon, evaluation.every 50',
  );
  const { 'evaluation.every': _, ...four } = settings;
  const columns = settingColumns([{ ...facts, settings: four }]);
  expect(columns.map(({ title }) => title)).toEqual(['algorithm', 'demonstrations.count', 'sft.steps', 'rl.steps', 'optimizer.name']); // prettier-ignore
});

// Goes red when a word that a row shows finds nothing.
it('finds runs by their tags and settings too', () => {
  const run = {
    ...{ key: 'kx4', recipe: 'quickstart', name: 'First', tags: ['night'], status: 'completed', algorithm: 'grpo' },
    settings: { 'environment.name': 'babyai', 'reward.terms': [{ name: 'progress' }], 'stages.rl.steps': 40 },
    seed: 3,
  } as unknown as ListedRun;
  const text = searchedText(run);
  for (const word of ['kx4', 'first', 'night', 'babyai', 'environment', 'progress', 'steps 40', 'seed 3']) {
    expect(text).toContain(word);
  }
});
