import { existsSync } from 'node:fs';

import type { Recipe } from '../config/recipe-schema.js';
import type { ResolvedRecipe } from '../config/resolve-recipe.js';
import { settingPath, type RlStagePlan, type RunPlan } from '../config/run-plan.js';
import type { Algorithm } from '../contracts/algorithm.js';
import type { ActionFormat } from '../contracts/format.js';
import type { PolicyModel } from '../contracts/policy.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { ModelActor } from '../rollout/actor.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import { conversationText } from '../rollout/demonstration.js';
import type { Toolbox } from '../rollout/toolbox.js';
import { refuseUnpaidGroups } from '../training/collect-groups.js';
import { checkPolicy } from './check-parts.js';
import { checkRewards, type StageReward } from './check-rewards.js';
import { runWeights } from '../runs/checkpoints.js';
import { Instances, type Named, noCorpus } from './instances.js';
import type { OpenEnvironment, PlaySettings } from './open-environment.js';
import {
  type DemonstrationContext,
  gatherDemonstrations,
  prepareDemonstrations,
  type StageDemonstrations,
} from './prepare-demonstrations.js';
import { manifestPath, type ContributionRecord } from '../runs/run-manifest.js';

/** What an rl stage has of its own. */
interface RlParts {
  readonly plan: RlStagePlan;
  readonly algorithm: Algorithm;
  readonly reward: ComposedReward;
}

/** The instances of a recipe. */
export interface Parts {
  readonly environment: OpenEnvironment;
  /** What the final evaluation plays beside it, by what the recipe calls it; without those that are the recipe's own. */
  readonly transfer: ReadonlyMap<string, OpenEnvironment>;
  readonly format: ActionFormat;
  /** What the policy may call; absent: nothing. */
  readonly tools?: Toolbox;
  /** The recipe's own reward: what evaluations tell returns of. */
  readonly reward: ComposedReward;
  /** Of each rl stage, by name. */
  readonly rl: ReadonlyMap<string, RlParts>;
  /** Of each sft stage that the budget does not skip, by name. */
  readonly demonstrations: ReadonlyMap<string, StageDemonstrations>;
  readonly policy: PolicyModel;
  /** A second model with a value head, with the weights of a folder that the policy wrote: a critic of its own. */
  readonly criticFrom: (folder: string) => Promise<PolicyModel>;
  readonly actor: ModelActor;
  /** What all of these were made of. */
  readonly records: readonly ContributionRecord[];
}

/** How the policy of a recipe plays when it samples for training. */
export function modelActor(
  recipe: Recipe,
  {
    model,
    format,
    tools,
  }: { readonly model: PolicyModel; readonly format: ActionFormat; readonly tools?: Toolbox | undefined },
): ModelActor {
  const { temperature, topP, topK, maxActionTokens } = recipe.policy.sampling;
  const { maxEpisodeTokens } = recipe.rollout;
  return {
    kind: 'model',
    model,
    format,
    sampling: { temperature, topP, topK },
    maxActionTokens,
    ...(maxEpisodeTokens !== undefined && { maxEpisodeTokens }),
    ...(tools && { tools }),
  };
}

/** An environment of a recipe, its own unless told, with how the recipe wants it played: what it says of its own holds for others of the same name. */
export function playedEnvironment(
  { environment: own, rollout }: Recipe,
  environment: Pick<Recipe['environment'], 'name' | 'options'> = own,
): Named & PlaySettings {
  const { deadlineSeconds } = rollout;
  return {
    ...(environment.name === own.name && own),
    ...environment,
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
  };
}

/**
 * Makes everything a recipe names. Nothing is written; whatever is wrong shows here. Dispose of them (`disposeParts`) and of the policy.
 *
 * @param origin who said a key; absent: nobody knows, and what is idle is let pass
 */
export async function makeParts(
  plan: RunPlan,
  host: PluginHost,
  settings: HostSettings,
  origin?: ResolvedRecipe['origin'],
): Promise<Parts> {
  const { recipe } = plan;
  const instances = new Instances(host, settings);
  const environment = await instances.environment(playedEnvironment(recipe));
  const transfer = new Map<string, OpenEnvironment>();
  let tools: Toolbox | undefined;
  try {
    for (const { name, environment: other, isOwn } of plan.transfer) {
      if (!isOwn) transfer.set(name, await instances.environment(playedEnvironment(recipe, other)));
    }
    const format = await instances.format(recipe.format);
    tools = await instances.tools(recipe.tools ?? [], plan.toolLimits);
    const reward = await instances.reward(recipe.reward.terms);
    const rl = await rlParts(plan, instances, environment, origin);
    const context = { environment, format, ...(tools && { tools }), ...settings };
    const demonstrations = await prepareDemonstrations(plan, context);
    const { name, preset, from, options } = recipe.policy;
    const { maxEpisodeTokens } = recipe.rollout;
    const longest = maxEpisodeTokens === undefined ? {} : { maxTokens: maxEpisodeTokens };
    const policy = await instances.policy(
      { name, options },
      {
        corpus: () => corpusOf(plan, demonstrations, context),
        ...(preset !== undefined && { preset }),
        ...(from !== undefined && { from: existsSync(manifestPath(from)) ? await runWeights(from) : from }),
        valueHead: [...rl.values()].some(({ algorithm }) => algorithm.critic?.trunk === 'shared'),
        ...longest,
      },
    );
    const criticFrom = (folder: string): Promise<PolicyModel> =>
      instances.policy({ name, options }, { corpus: noCorpus, from: folder, valueHead: true, ...longest });
    try {
      for (const { algorithm, plan: stage } of rl.values()) {
        checkPolicy(algorithm, policy, name, stage.update.recomputeLogprobs);
      }
    } catch (error) {
      await policy.dispose();
      throw error;
    }
    const actor = modelActor(recipe, { model: policy, format, tools });
    const { records } = instances;
    const playing = { environment, transfer, format, ...(tools && { tools }), reward, rl };
    return { ...playing, demonstrations, policy, criticFrom, actor, records };
  } catch (error) {
    await disposeParts({ environment, transfer, ...(tools && { tools }) });
    throw error;
  }
}

/**
 * Checks the rewards of a recipe over its environment, and makes nothing else of it.
 *
 * @throws as `checkRewards` does, and what is wrong with environment, rewards or algorithms
 */
export async function checkRecipeRewards(
  plan: RunPlan,
  host: PluginHost,
  settings: HostSettings,
  origin: ResolvedRecipe['origin'],
): Promise<void> {
  const instances = new Instances(host, settings);
  const environment = await instances.environment(playedEnvironment(plan.recipe));
  try {
    await rlParts(plan, instances, environment, origin);
  } finally {
    await environment.pool.dispose();
  }
}

/** Disposes of the instances of all environments, and of the tools. */
export async function disposeParts(parts: Pick<Parts, 'environment' | 'transfer' | 'tools'>): Promise<void> {
  const { environment, transfer, tools } = parts;
  await Promise.all([environment, ...transfer.values()].map(({ pool }) => pool.dispose()));
  await tools?.dispose();
}

async function rlParts(
  { recipe, stages }: RunPlan,
  instances: Instances,
  environment: OpenEnvironment,
  origin: ResolvedRecipe['origin'] = () => 'default',
): Promise<Map<string, RlParts>> {
  const parts = new Map<string, RlParts>();
  const rewards: StageReward[] = [];
  for (const stage of stages) {
    if (stage.kind !== 'rl') continue;
    const reward = await instances.reward(stage.reward.terms);
    const algorithm = await instances.algorithm(stage.algorithm);
    refuseUnpaidGroups(stage, algorithm);
    rewards.push({
      path: settingPath(stage, ['reward']),
      reward,
      allowInversion: stage.reward.allowInversion,
      horizon: stage.longestHorizon,
      milestones: environment.facts.includes('milestones'),
      actionTokens: recipe.policy.sampling.maxActionTokens,
      tools: recipe.tools !== undefined,
      ...(algorithm.discount && { discount: algorithm.discount }),
    });
    parts.set(stage.name, { plan: stage, reward, algorithm });
  }
  checkRewards(rewards, (path) => ['recipe', 'flag'].includes(origin(path)));
  return parts;
}

/**
 * What a tokenizer is built from: the demonstrations. Under a budget the same ones whatever it pays for, so that the model that begins is the same at every split of
 * it, and there is one where nothing is left for demonstrations.
 */
async function* corpusOf(
  plan: RunPlan,
  prepared: Parts['demonstrations'],
  context: DemonstrationContext,
): AsyncIterable<string> {
  for (const stage of plan.stages) {
    if (stage.kind !== 'sft') continue;
    const own = plan.recipe.budget === undefined ? prepared.get(stage.name) : undefined;
    const { countUnpaid } = stage.demonstrations;
    const { demonstrations } = own ?? (await gatherDemonstrations(plan, stage, countUnpaid, context));
    for (const demonstration of demonstrations) yield conversationText(demonstration);
  }
}
