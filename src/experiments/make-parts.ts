import type { Recipe } from '../config/recipe-schema.js';
import type { RunPlan } from '../config/run-plan.js';
import type { ActionFormat } from '../contracts/format.js';
import type { PolicyModel } from '../contracts/policy.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { ModelActor, Prompt } from '../rollout/actor.js';
import { conversationText } from '../rollout/demonstration.js';
import { fitFormat } from '../rollout/fit-format.js';
import type { Toolbox } from '../rollout/toolbox.js';
import type { KeptPrompt } from '../runs/kept-prompt.js';
import type { ContributionRecord } from '../runs/run-manifest.js';
import { noCorpus } from './instances.js';
import type { MemoryPolicy } from './judge-memory.js';
import { disposeParts, openParts, type OpenParts, playedEnvironment, refuseUnfitPolicy } from './open-parts.js';
import type { DemonstratedEnvironment } from './other-environments.js';
import { prepareDemonstrations } from './prepare-demonstrations.js';
import { SampledElsewhere } from './sampled-elsewhere.js';
import type { StageDemonstrations, StoredDemonstrations } from './stage-demonstrations.js';
import { refuseLongExamples } from './write-prompt.js';

/** The instances of a recipe. */
export interface Parts extends Pick<
  OpenParts,
  'environment' | 'transfer' | 'format' | 'tools' | 'reward' | 'rl' | 'sampler' | 'policyEstimate' | 'memory'
> {
  /** Demonstrations of each sft stage, by name. A stage that the budget skips learns from none. */
  readonly demonstrations: ReadonlyMap<string, StageDemonstrations>;
  readonly policy: PolicyModel;
  /** Empty without `prompt` in the recipe. */
  readonly prompt: Prompt;
  /** Creates a separate critic: a model with a value head, and with the weights of a folder that the policy wrote. */
  readonly criticFrom: (folder: string) => Promise<PolicyModel>;
  readonly actor: ModelActor;
  /** As in `DemonstrationContext`. */
  readonly sharedGames?: string;
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
    prompt,
  }: {
    readonly model: PolicyModel;
    readonly format: ActionFormat;
    readonly tools?: Toolbox | undefined;
    readonly prompt?: Prompt | undefined;
  },
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
    ...(prompt && Object.keys(prompt).length > 0 && { prompt }),
  };
}

/** How the parts of a recipe are made. */
export interface MakeOptions {
  /** Demonstrations of the run to resume. */
  readonly stored?: StoredDemonstrations | undefined;
  /** The prompt of the run to resume. */
  readonly keptPrompt?: KeptPrompt | undefined;
  /** The folder of shared games. */
  readonly sharedGames?: string | undefined;
  /** Default: a recipe that does not fit into memory is refused. */
  readonly memory?: MemoryPolicy | undefined;
}

/**
 * Creates everything that a recipe names. It writes nothing; all errors of the recipe appear here. Dispose of the
 * result (`disposeParts`) and of the policy.
 */
export async function makeParts(
  plan: RunPlan,
  host: PluginHost,
  settings: HostSettings,
  { stored, keptPrompt, sharedGames, memory }: MakeOptions = {},
): Promise<Parts> {
  const { recipe } = plan;
  const { name, options } = recipe.policy;
  const open = await openParts(plan, host, settings, { memory, keptPrompt, plays: true });
  const { environment, transfer, tools, reward, rl, sampler, instances, policyContext, policyEstimate } = open;
  const sharing = { ...(sharedGames !== undefined && { sharedGames }) };
  const { system } = recipe.prompt ?? {};
  const telling = { ...(system !== undefined && { system }) };
  try {
    const prepare = (format: ActionFormat) => {
      const openOther = (other: DemonstratedEnvironment) => instances.environment(playedEnvironment(recipe, other));
      const context = { environment, format, ...(tools && { tools }), ...telling, ...sharing, ...settings, openOther };
      return prepareDemonstrations(plan, context, stored);
    };
    // A model from scratch needs demonstrations for its tokenizer. A model from a folder may have its own syntax of
    // function calls, in which its demonstrations are written.
    const early = policyContext.from === undefined ? await prepare(fitFormat(open.format, { tools })) : undefined;
    const trained = await instances.policy(
      { name, options },
      { ...policyContext, corpus: () => (early ? corpusOf(early, open) : noCorpus()) },
    );
    const policy = await sampledPolicy(plan, trained, open, settings.signal);
    const { preset: _, ...learnt } = policyContext;
    const criticFrom = (folder: string): Promise<PolicyModel> =>
      instances.policy({ name, options }, { ...learnt, corpus: noCorpus, from: folder, valueHead: true });
    const format = fitFormat(open.format, { tools, encoder: policy.encoder });
    let demonstrations: Parts['demonstrations'];
    let prompt: Prompt;
    try {
      prompt = open.writePrompt(format);
      refuseLongPrompt(plan, open, format, prompt, policy);
      demonstrations = early ?? (await prepare(format));
      if (open.policyEstimate === undefined) refuseUnfitPolicy(plan, open, policy.capabilities);
    } catch (error) {
      await policy.dispose();
      throw error;
    }
    const actor = modelActor(recipe, { model: policy, format, tools, prompt });
    const { records } = instances;
    const used = { ...(tools && { tools }), ...(sampler && { sampler }), ...(policyEstimate && { policyEstimate }) };
    const playing = { environment, transfer, format, ...used, ...sharing, reward, rl, memory: open.memory };
    return { ...playing, demonstrations, policy, prompt, criticFrom, actor, records };
  } catch (error) {
    await disposeParts(open);
    throw error;
  }
}

/** The policy that the loops get: with a sampler, it writes the training episodes of the one that learns. */
async function sampledPolicy(
  { recipe }: RunPlan,
  policy: PolicyModel,
  { instances, sampler }: OpenParts,
  signal: AbortSignal,
): Promise<PolicyModel> {
  const { name, options, sampler: settings, sampling } = recipe.policy;
  if (sampler === undefined || settings === undefined) return policy;
  const { temperature, topK, topP, maxActionTokens } = sampling;
  try {
    return await SampledElsewhere.open({
      ...{ policy, sampler, signal },
      ...{ name: settings.name, evaluates: settings.evaluates },
      ...(settings.folder !== undefined && { folder: settings.folder }),
      exportWeights: (checkpoint, directory) =>
        instances.exportPolicy({ name, options }, checkpoint, directory, {
          ...{ dtype: 'float32', merge: false, maxActionTokens, signal },
          sampling: { temperature, topK, topP },
        }),
    });
  } catch (error) {
    await policy.dispose();
    throw error;
  }
}

/** The text from which a tokenizer is built. */
async function* corpusOf(
  demonstrations: Parts['demonstrations'],
  { format, tools, writePrompt }: OpenParts,
): AsyncIterable<string> {
  const { examples } = demonstrations.size === 0 ? {} : writePrompt(fitFormat(format, { tools }));
  // The demonstrations have its system text.
  if (examples !== undefined)
    yield conversationText({
      name: 'the prompt',
      system: '',
      observations: [...examples.observations, examples.before('')],
      texts: examples.texts,
    });
  for (const stage of demonstrations.values()) {
    for await (const demonstration of stage.corpus()) yield conversationText(demonstration);
  }
}

/** Throws AG_DEMONSTRATION if the examples of the prompt leave no room for an action. */
export function refuseLongPrompt(
  { recipe }: RunPlan,
  { environment, tools }: Pick<OpenParts, 'environment' | 'tools'>,
  format: ActionFormat,
  prompt: Prompt,
  { encoder, capabilities }: Pick<PolicyModel, 'encoder'> & { readonly capabilities: { readonly maxTokens: number } },
): void {
  const { maxActionTokens } = recipe.policy.sampling;
  const maxTokens = Math.min(capabilities.maxTokens, recipe.rollout.maxEpisodeTokens ?? Infinity);
  const writing = { format, ...(tools && { tools }), instructions: environment.world.instructions };
  const path = 'prompt.examples.count';
  refuseLongExamples(prompt, encoder, writing, { maxTokens, maxActionTokens }, { path, count: `\`${path}\`` });
}
