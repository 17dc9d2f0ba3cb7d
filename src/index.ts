/**
 * The public entry of @agentgym/cli: types of the contracts for plugins, and `defineRecipe` for recipes in TypeScript.
 */
export { defineRecipe, type RecipeDefinition } from './config/define-recipe.js';
export type { Recipe } from './config/recipe-schema.js';
export type * from './contracts/algorithm.js';
export type * from './contracts/artifact.js';
export type * from './contracts/batch.js';
export type * from './contracts/credit.js';
export type * from './contracts/curriculum.js';
export type * from './contracts/data-set.js';
export type * from './contracts/environment.js';
export type * from './contracts/environment-module.js';
export type * from './contracts/evaluation.js';
export type * from './contracts/facts.js';
export type * from './contracts/events.js';
export type * from './contracts/format.js';
export type * from './contracts/function-calls.js';
export type * from './contracts/files.js';
export type * from './contracts/host.js';
export type * from './contracts/journal.js';
export type * from './contracts/json.js';
export type * from './contracts/loss.js';
export type * from './contracts/option-groups.js';
export type * from './contracts/options.js';
export type * from './contracts/player.js';
export type * from './contracts/plugin.js';
export type * from './contracts/policy.js';
export type * from './contracts/random.js';
export type * from './contracts/requirement.js';
export type * from './contracts/reward.js';
export type * from './contracts/sampler.js';
export type * from './contracts/sandbox.js';
export type * from './contracts/text-view.js';
export type * from './contracts/tool.js';
export type * from './contracts/trajectory.js';
export type * from './contracts/wire.js';
