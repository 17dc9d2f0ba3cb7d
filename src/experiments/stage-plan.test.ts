import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

import { recipeSchema, type Recipe } from '../config/recipe-schema.js';
import { budgetsOf, fundedStages } from './stage-plan.js';

function recipeWith(budget: object): Recipe {
  const demonstrations = { expert: 'oracle', count: 5 };
  const optimizer = { learningRate: 0.1 };
  return v.parse(recipeSchema, {
    recipeVersion: 1,
    environment: { name: 'coin-flip' },
    algorithm: { name: 'grpo' },
    horizon: { schedule: 'fixed', turns: 2 },
    stages: { sft: { kind: 'sft', demonstrations, steps: 1, optimizer }, rl: { kind: 'rl', steps: 1, optimizer } },
    budget: { units: 100, ...budget },
  });
}

const unitsOf = (recipe: Recipe) =>
  Object.fromEntries([...budgetsOf(recipe)].map(([name, { units }]) => [name, units]));

describe('budgetsOf', () => {
  it('divides the units among the stages that pay', () => {
    expect(unitsOf(recipeWith({ costs: { demonstration: 2, episode: 1 } }))).toEqual({ sft: 50, rl: 50 });
    // Goes red when a stage without a price takes units that it cannot spend.
    expect(unitsOf(recipeWith({ costs: { demonstration: 0, turn: 1 } }))).toEqual({ rl: 100 });
    expect(unitsOf(recipeWith({ costs: { demonstration: 2, turn: 0 } }))).toEqual({ sft: 100 });
  });

  it('skips a stage whose share is 0, whatever it would pay, and no other', () => {
    const names = (budget: object) => fundedStages(recipeWith(budget)).map(([name]) => name);
    expect(names({ costs: { demonstration: 0, turn: 1 } })).toEqual(['sft', 'rl']);
    expect(names({ costs: { demonstration: 0, turn: 1 }, split: { rl: 1 } })).toEqual(['sft', 'rl']);
    expect(names({ costs: { demonstration: 0, turn: 1 }, split: { sft: 0 } })).toEqual(['rl']);
    expect(names({ costs: { demonstration: 2, turn: 1 }, split: { rl: 1 } })).toEqual(['rl']);
  });
});
