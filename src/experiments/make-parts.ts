import type { Recipe } from '../config/recipe-schema.js';
import type { ResolvedRecipe } from '../config/resolve-recipe.js';
import type { RunPlan } from '../config/run-plan.js';
import type { ActionFormat } from '../contracts/format.js';
import type { PolicyModel } from '../contracts/policy.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { ModelActor } from '../rollout/actor.js';
import { conversationText } from '../rollout/demonstration.js';
import { fitFormat } from '../rollout/fit-format.js';
import type { Toolbox } from '../rollout/toolbox.js';
import type { ContributionRecord } from '../runs/run-manifest.js';
import { checkOptimizers, checkPolicy } from './check-parts.js';
import { noCorpus } from './instances.js';
import { disposeParts, openParts, type OpenParts } from './open-parts.js';
import {
  type DemonstrationContext,
  gatherDemonstrations,
  prepareDemonstrations,
  type StageDemonstrations,
} from './prepare-demonstrations.js';

/** The instances of a recipe. */
export interface Parts extends Pick<OpenParts, 'environment' | 'transfer' | 'format' | 'tools' | 'reward' | 'rl'> {
  /** Demonstrations of each sft stage that the budget does not skip, by name. */
  readonly demonstrations: ReadonlyMap<string, StageDemonstrations>;
  readonly policy: PolicyModel;
  /** Creates a separate critic: a model with a value head, and with the weights of a folder that the policy wrote. */
  readonly criticFrom: (folder: string) => Promise<PolicyModel>;
  readonly actor: ModelActor;
  /** The contributions of all these instances. */
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

/**
 * Creates everything that a recipe names. It writes nothing; all errors of the recipe appear here. Dispose of the
 * result (`disposeParts`) and of the policy.
 *
 * @param origin origin of a key; absent: unknown, and settings without effect are accepted
 */
export async function makeParts(
  plan: RunPlan,
  host: PluginHost,
  settings: HostSettings,
  origin?: ResolvedRecipe['origin'],
): Promise<Parts> {
  const { recipe } = plan;
  const { name, options } = recipe.policy;
  const open = await openParts(plan, host, settings, origin);
  const { environment, transfer, tools, reward, rl, instances, policyContext } = open;
  try {
    const fitted = fitFormat(open.format, { tools });
    const context = { environment, format: fitted, ...(tools && { tools }), ...settings };
    const prepared = await prepareDemonstrations(plan, context);
    const policy = await instances.policy(
      { name, options },
      { ...policyContext, corpus: () => corpusOf(plan, prepared, context) },
    );
    const { preset: _, ...learnt } = policyContext;
    const criticFrom = (folder: string): Promise<PolicyModel> =>
      instances.policy({ name, options }, { ...learnt, corpus: noCorpus, from: folder, valueHead: true });
    const { encoder } = policy;
    const format = fitFormat(open.format, { tools, encoder });
    let demonstrations = prepared;
    try {
      // A model with its own syntax of function calls learns from demonstrations in that syntax.
      if (open.format.withFunctions !== undefined && encoder.functionCalls !== undefined) {
        demonstrations = await prepareDemonstrations(plan, { ...context, format });
      }
      checkOptimizers(plan, policy.capabilities, name);
      for (const { algorithm, plan: stage } of rl.values()) {
        checkPolicy(algorithm, policy.capabilities, name, stage.update.recomputeLogprobs);
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
    await disposeParts(open);
    throw error;
  }
}

/**
 * The demonstrations from which a tokenizer is built. With a budget, they do not depend on its split, so the initial
 * model is the same at every split. It exists even without units for demonstrations.
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
