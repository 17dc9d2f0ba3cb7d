import { expect, it } from 'vitest';

import { describeDifference, recipeDifference } from './recipe-difference.js';

const recipe = {
  seed: 1,
  algorithm: { name: 'grpo', groupSize: 16 },
  environment: { options: { width: [20, 31] } },
  stages: { sft: { steps: 150 }, rl: { steps: 250 } },
};

it('finds nothing where only the order of keys differs', () => {
  const { seed, ...rest } = structuredClone(recipe);
  expect(recipeDifference(recipe, { ...rest, seed })).toBeUndefined();
});

// Goes red when a run cannot resume with another tracker.
it('ignores the trackers of the recipe', () => {
  expect(recipeDifference({ ...recipe, tracking: ['mlflow'] }, { ...recipe, tracking: [] })).toBeUndefined();
  expect(recipeDifference(recipe, { ...recipe, tracking: ['mlflow'] })).toBeUndefined();
});

// Goes red when a reworded description prevents a run from being resumed.
it('ignores the description of the recipe, but no key of that name within it', () => {
  const described = { ...recipe, description: 'Find it' };
  expect(recipeDifference(described, { ...recipe, description: 'Find the goal' })).toBeUndefined();
  expect(recipeDifference(described, recipe)).toBeUndefined();
  const option = (description: string) => ({ ...recipe, environment: { options: { description } } });
  expect(recipeDifference(option('a'), option('b'))?.path).toBe('environment.options.description');
});

it('names the innermost key that differs, is missing or is new', () => {
  const changed = structuredClone(recipe);
  changed.algorithm.groupSize = 8;
  const difference = recipeDifference(recipe, changed);
  expect(difference).toEqual({ path: 'algorithm.groupSize', before: 16, after: 8 });
  expect(describeDifference(difference!)).toBe('`algorithm.groupSize` is 16 there and 8 here');

  expect(recipeDifference(recipe, { ...recipe, environment: {} })?.path).toBe('environment.options');
  expect(recipeDifference({ ...recipe, environment: {} }, recipe)?.path).toBe('environment.options');
  expect(recipeDifference(recipe, { ...recipe, environment: { options: { width: [20, 30] } } })?.path).toBe(
    'environment.options.width',
  );
});

it('sees that stages changed places', () => {
  const { sft, rl } = recipe.stages;
  expect(recipeDifference(recipe, { ...recipe, stages: { rl, sft } })?.path).toBe('stages');
});

// Goes red when a run cannot go on with another engine.
it('ignores the options of the policy that may change at a resume, and no others', () => {
  const withOptions = (options: { readonly [name: string]: string }) => ({
    ...recipe,
    policy: { name: 'transformer', options },
  });
  const [before, after] = [withOptions({ engine: 'a', loraRank: '1' }), withOptions({ engine: 'b', loraRank: '2' })];
  expect(recipeDifference(before, after, { policy: ['engine'], rewards: new Map() })?.path).toBe(
    'policy.options.loraRank',
  );
  expect(
    recipeDifference(before, withOptions({ loraRank: '1' }), { policy: ['engine'], rewards: new Map() }),
  ).toBeUndefined();
  expect(recipeDifference(before, after)?.path).toBe('policy.options.engine');
});

// Goes red when a run cannot go on with a server that was started elsewhere.
it('ignores where a sampler is, and nothing else about it', () => {
  const withSampler = (sampler: { readonly [name: string]: string }) => ({ ...recipe, policy: { sampler } });
  const before = withSampler({ name: 'openai', address: 'http://one/v1' });
  expect(recipeDifference(before, withSampler({ name: 'openai', folder: '/shared' }))).toBeUndefined();
  expect(recipeDifference(before, withSampler({ name: 'other', address: 'http://one/v1' }))?.path).toBe(
    'policy.sampler.name',
  );
  expect(recipeDifference({ ...recipe, policy: {} }, before)?.path).toBe('policy.sampler');
});

// Goes red when a run cannot resume with a judge at another address, or may resume with another rubric.
it('ignores options of rewards that say how a judge is asked, wherever the reward is', () => {
  const judged = (address: string, rubric = 'short?') => {
    const own = { terms: [{ name: 'judged', options: { address, rubric } }] };
    return {
      ...recipe,
      reward: own,
      environments: { near: { reward: own } },
      stages: { rl: { steps: 1, reward: own } },
    };
  };
  const free = { policy: [], rewards: new Map([['judged', ['address']]]) };
  expect(recipeDifference(judged('a'), judged('b'), free)).toBeUndefined();
  expect(recipeDifference(judged('a'), judged('b'))?.path).toBe('stages.rl.reward.terms');
  expect(recipeDifference(judged('a'), judged('a', 'long?'), free)?.path).toBe('stages.rl.reward.terms');
  const other = (address: string) => ({ ...recipe, reward: { terms: [{ name: 'sparse', options: { address } }] } });
  expect(recipeDifference(other('a'), other('b'), free)?.path).toBe('reward.terms');
});
