import { describe, expect, it } from 'vitest';

import { tinyRecipe } from './fixtures/tiny-recipe.js';
import type { RecipeInput } from './recipe-schema.js';
import { planRun, settingPath, type RlStagePlan, type RunPlan } from './run-plan.js';

type Budget = NonNullable<RecipeInput['budget']>;

const planOf = (changes: Partial<RecipeInput>): RunPlan => planRun(tinyRecipe(changes));

/** The plan of a recipe whose only stage is `rl`, with these keys. */
function rlPlan(stage: object, changes: Partial<RecipeInput> = {}): RlStagePlan {
  const { lastRl } = planOf({ stages: { rl: { kind: 'rl', steps: 4, tasksPerStep: 5, ...stage } }, ...changes });
  if (lastRl === undefined) throw new Error('an rl stage is planned');
  return lastRl;
}

describe('the budget of a plan', () => {
  const stages = {
    sft: { kind: 'sft' as const, steps: 1, demonstrations: { expert: 'oracle', count: 5 } },
    rl: { kind: 'rl' as const, steps: 1 },
  };
  const withBudget = (budget: Omit<Budget, 'units'>) => planOf({ stages, budget: { units: 100, ...budget } });
  const unitsOf = ({ stages: all }: RunPlan) =>
    Object.fromEntries(all.flatMap(({ name, budget }) => (budget === undefined ? [] : [[name, budget.units]])));

  it('is divided among the stages that pay', () => {
    expect(unitsOf(withBudget({ costs: { demonstration: 2, episode: 1 } }))).toEqual({ sft: 50, rl: 50 });
    // Goes red when a stage without a price takes units that it cannot spend.
    expect(unitsOf(withBudget({ costs: { demonstration: 0, turn: 1 } }))).toEqual({ rl: 100 });
    expect(unitsOf(withBudget({ costs: { demonstration: 2, turn: 0 } }))).toEqual({ sft: 100 });
    expect(unitsOf(planOf({ stages }))).toEqual({});
  });

  it('skips a stage whose share is 0, whatever it would pay, and no other', () => {
    const names = (budget: Omit<Budget, 'units'>) => withBudget(budget).funded.map(({ name }) => name);
    expect(names({ costs: { demonstration: 0, turn: 1 } })).toEqual(['sft', 'rl']);
    expect(names({ costs: { demonstration: 0, turn: 1 }, split: { rl: 1 } })).toEqual(['sft', 'rl']);
    expect(names({ costs: { demonstration: 0, turn: 1 }, split: { sft: 0 } })).toEqual(['rl']);
    expect(names({ costs: { demonstration: 2, turn: 1 }, split: { rl: 1 } })).toEqual(['rl']);
  });

  it('limits demonstrations, which are otherwise as many as are asked for, 1000 of an expert, or all of a file', () => {
    const counts = (demonstrations: object, budget?: Budget) => {
      const sft = { kind: 'sft' as const, steps: 1, demonstrations };
      const [stage] = planOf({ stages: { sft }, ...(budget && { budget }) }).stages;
      if (stage?.kind !== 'sft') throw new Error('an sft stage is planned');
      const [own] = stage.demonstrations;
      return [own.count, own.countUnpaid];
    };
    const budget = (units: number): Budget => ({ units, costs: { demonstration: 2 } });
    expect(counts({})).toEqual([1000, 1000]);
    expect(counts({ count: 7 })).toEqual([7, 7]);
    expect(counts({ file: 'games.jsonl' })).toEqual([Infinity, Infinity]);
    expect(counts({ count: 7 }, budget(9))).toEqual([4, 7]);
    // Goes red when the usual number limits what a budget pays for.
    expect(counts({}, budget(4000))).toEqual([2000, 1000]);
    expect(counts({ file: 'games.jsonl' }, budget(1))).toEqual([0, Infinity]);
  });
});

describe('an rl stage of a plan', () => {
  const algorithm = { name: 'grpo', groupSize: 8, minibatches: 2, options: { clip: 0.2, kl: 0 } };

  it("has the recipe's settings, with its own laid over them", () => {
    const stage = rlPlan({ algorithm: { groupSize: 3, options: { clip: 0.5 } } }, { algorithm });
    expect(stage.algorithm).toEqual({ name: 'grpo', options: { clip: 0.5, kl: 0 } });
    expect(stage.update).toEqual({
      groupSize: 3,
      epochs: 1,
      minibatches: 2,
      recomputeLogprobs: false,
      importanceCap: 2,
    });
    expect(stage.episodesPerStep).toBe(15);
    expect(rlPlan({}, { algorithm }).update.groupSize).toBe(8);
    const capped = { ...algorithm, recomputeLogprobs: true, importanceCap: 5 };
    expect(rlPlan({}, { algorithm: capped }).update.importanceCap).toBe(5);
  });

  it('mixes no options of another algorithm into its own', () => {
    const stage = rlPlan({ algorithm: { name: 'rloo', options: { baseline: true } } }, { algorithm });
    expect(stage.algorithm).toEqual({ name: 'rloo', options: { baseline: true } });
    expect(stage.update.groupSize).toBe(8);
  });

  it('knows where the recipe says what holds in it', () => {
    const stage = rlPlan({ algorithm: { options: { clip: 0.5 } }, horizon: { schedule: 'fixed', turns: 3 } });
    expect(settingPath(stage, ['algorithm', 'options', 'clip'])).toEqual([
      'stages',
      'rl',
      'algorithm',
      'options',
      'clip',
    ]);
    expect(settingPath(stage, ['algorithm', 'options', 'kl'])).toEqual(['algorithm', 'options', 'kl']);
    expect(settingPath(stage, ['horizon'])).toEqual(['stages', 'rl', 'horizon']);
    expect(settingPath(stage, ['reward'])).toEqual(['reward']);
  });

  it('has an optimizer in the words of the loop; a norm of 0 clips nothing', () => {
    const optimizer = {
      learningRate: 0.1,
      warmup: 1,
      schedule: 'linear' as const,
      clipNorm: 0,
      options: { beta1: 0.5 },
    };
    expect(rlPlan({ optimizer }).optimizer).toEqual({
      settings: { name: 'adamw', options: { beta1: 0.5 } },
      learningRate: { peak: 0.1, warmup: 1, schedule: 'linear', floor: 0 },
    });
    expect(rlPlan({}).optimizer.clipNorm).toBe(1);
  });
});

it("plans evaluations at the longest horizon of any stage, the recipe's own where no stage is of rl", () => {
  const fixed = (turns: number) => ({ schedule: 'fixed' as const, turns });
  const rl = (turns: number) => ({ kind: 'rl' as const, steps: 1, horizon: fixed(turns) });
  const horizonsOf = ({ entries, longestHorizon }: RunPlan) => [entries[0].evaluationHorizon, longestHorizon];
  const linear = { schedule: 'linear' as const, from: 4, to: 6, over: 3 };
  expect(horizonsOf(planOf({ horizon: fixed(9), stages: { a: rl(3), b: { ...rl(1), horizon: linear } } }))).toEqual([
    6, 6,
  ]);
  expect(horizonsOf(planOf({ horizon: fixed(9), stages: { sft: { kind: 'sft', steps: 1 } } }))).toEqual([9, 9]);
  expect(horizonsOf(planOf({ stages: { a: rl(3) }, evaluation: { horizon: 2 } }))).toEqual([2, 3]);
  expect(horizonsOf(planOf({ stages: { a: rl(3) }, evaluation: { horizon: 5 } }))).toEqual([5, 5]);
});

it('names the last stage of reinforcement learning, and none where there is none', () => {
  const rl = { kind: 'rl' as const, steps: 1 };
  const sft = { kind: 'sft' as const, steps: 1 };
  expect(planOf({ stages: { a: rl, b: rl, c: sft } }).lastRl?.name).toBe('b');
  expect(planOf({ stages: { c: sft } }).lastRl).toBeUndefined();
});

it('has waits and limits in milliseconds', () => {
  const { rollout, toolLimits } = planOf({ rollout: { deadlineSeconds: 2, maxToolCalls: 3, toolSeconds: 1 } });
  expect(rollout).toMatchObject({ playerMilliseconds: 2000, inFlight: 256 });
  expect(toolLimits).toEqual({ maxCalls: 3, maxCallsPerTurn: 4, maxOutputCharacters: 2000, milliseconds: 1000 });
});

describe('the plan of several environments', () => {
  const environments = {
    one: { name: 'die' },
    two: { name: 'die', options: { sides: 9 }, weight: 2 },
    rest: { name: 'coin' },
  };
  const several = (changes: Partial<RecipeInput>): RunPlan => {
    const { environment: _, ...recipe } = tinyRecipe({
      ...changes,
      environments: changes.environments ?? environments,
    });
    return planRun(recipe);
  };

  it('divides demonstrations by weights, beside those that an environment asks for', () => {
    const counts = (demonstrations: object, budget?: Budget) => {
      const sft = { kind: 'sft' as const, steps: 1, demonstrations };
      const rl = { kind: 'rl' as const, steps: 1 };
      const [stage] = several({ stages: { sft, rl }, ...(budget && { budget }) }).stages;
      if (stage?.kind !== 'sft') throw new Error('an sft stage is planned');
      return stage.demonstrations.map(({ count, file, expert }) => [count, file ?? expert]);
    };
    expect(counts({ count: 10, expert: 'oracle' })).toEqual([[3, 'oracle'], [5, 'oracle'], [2, 'oracle']]); // prettier-ignore
    expect(counts({ environments: { two: { count: 40, expert: 'oracle' } } })).toEqual([
      [480, 'demonstrator'],
      [40, 'oracle'],
      [480, 'demonstrator'],
    ]);
    const paid: Budget = { units: 100, costs: { demonstration: 5, episode: 1 }, split: { sft: 0.5 } };
    expect(counts({ expert: 'oracle' }, paid).map(([count]) => count)).toEqual([3, 5, 2]);
    // Goes red when environments with numbers of their own get more than the budget pays for.
    const own = { one: { count: 6 }, two: { count: 6 } };
    expect(counts({ environments: own }, paid).map(([count]) => count)).toEqual([6, 4, 0]);
    // A file for all is read up to the number for all, whoever the demonstrations are of.
    expect(counts({ file: 'all.jsonl', count: 10 })).toEqual([[10, 'all.jsonl'], [10, 'all.jsonl'], [10, 'all.jsonl']]); // prettier-ignore
    expect(counts({ count: 10, environments: { rest: { file: 'own.jsonl' } } })).toEqual([
      [3, 'demonstrator'],
      [7, 'demonstrator'],
      [Infinity, 'own.jsonl'],
    ]);
  });

  it('gives each the keys that it has, then those of the stage, then those of the recipe', () => {
    const fixed = (turns: number) => ({ schedule: 'fixed' as const, turns });
    const paid = { terms: [{ name: 'dense' }] };
    const { lastRl, entries, longestHorizon } = several({
      environments: { ...environments, two: { ...environments.two, horizon: fixed(7), reward: paid } },
      stages: { rl: { kind: 'rl', steps: 1, horizon: fixed(5) } },
    });
    expect(lastRl!.entries.map(({ horizon, horizonPath, reward, rewardPath }) => [
      'turns' in horizon && horizon.turns,
      horizonPath.join('.'),
      reward.terms[0]!.name,
      rewardPath.join('.'),
    ])).toEqual([
      [5, 'stages.rl.horizon', 'sparse', 'reward'],
      [7, 'environments.two.horizon', 'dense', 'environments.two.reward'],
      [5, 'stages.rl.horizon', 'sparse', 'reward'],
    ]); // prettier-ignore
    expect(entries.map(({ evaluationHorizon }) => evaluationHorizon)).toEqual([5, 7, 5]);
    expect(longestHorizon).toBe(7);
  });
});
