import { formatPath } from '../config/recipe-layer.js';
import { type EntryPlan, entryPath, type RunPlan } from '../config/run-plan.js';
import type { ConversationEncoder, PolicyCapabilities, PolicyModel } from '../contracts/policy.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { type ModelActor, type Prompt, systemPrompt } from '../rollout/actor.js';
import { markTokens } from '../rollout/cut-tokens.js';
import { conversationText, type DemonstrationLayout } from '../rollout/demonstration.js';
import { windowOf } from '../rollout/episode-tokens.js';
import { type Filled, mapFilled } from '../rollout/filled.js';
import { fitFormat } from '../rollout/fit-format.js';
import type { Verdicts } from '../rollout/verdicts.js';
import type { ContributionRecord } from '../runs/run-manifest.js';
import { longestSequence } from './history-sizes.js';
import { noCorpus } from './instances.js';
import {
  disposeParts,
  type OpenEntry,
  type OpenOptions,
  openParts,
  type OpenParts,
  playedEnvironment,
  refuseUnfitPolicy,
} from './open-parts.js';
import type { DemonstratedEnvironment } from './other-environments.js';
import { prepareDemonstrations } from './prepare-demonstrations.js';
import { SampledElsewhere } from './sampled-elsewhere.js';
import type {
  DemonstrationContext,
  FileContext,
  StageDemonstrations,
  StoredDemonstrations,
} from './stage-demonstrations.js';
import { cutPrompt, refuseLongExamples } from './write-prompt.js';

/** An environment of a run, and how the policy plays in it. */
export interface PlayedEntry extends OpenEntry {
  readonly actor: ModelActor;
  /** What the policy is told; empty without `prompt` in the recipe. */
  readonly prompt: Prompt;
}

/** The instances of a recipe. */
export interface Parts extends Pick<OpenParts, 'rl' | 'sampler' | 'policyEstimate' | 'memory'> {
  /** The environments to train in. */
  readonly entries: Filled<PlayedEntry>;
  /** Environments that only the final evaluation plays, as in `OpenParts`. */
  readonly transfer: readonly PlayedEntry[];
  /**
   * Demonstrations of each sft stage, by name: of each environment, in the order of `entries`. A stage that the budget skips
   * learns from none.
   */
  readonly demonstrations: ReadonlyMap<string, readonly StageDemonstrations[]>;
  readonly policy: PolicyModel;
  /** Creates a separate critic: a model with a value head, and with the weights of a folder that the policy wrote. */
  readonly criticFrom: (folder: string) => Promise<PolicyModel>;
  /** What demonstrations are prepared with, of each environment, in the order of `entries`. */
  readonly contexts: readonly FileContext[];
  /** The contributions of all these instances. */
  readonly records: readonly ContributionRecord[];
  /** What the judges of their rewards have said. */
  readonly verdicts: Verdicts;
}

/** How the parts of a recipe are made. */
export interface MakeOptions extends Omit<OpenOptions, 'plays'>, Pick<DemonstrationContext, 'sharedGames'> {
  /** Demonstrations of the run to resume. */
  readonly stored?: StoredDemonstrations | undefined;
}

/**
 * Creates everything that a recipe names. It writes nothing; all errors of the recipe appear here. Dispose of the
 * result (`disposeParts`) and of the policy.
 */
export async function makeParts(
  plan: RunPlan,
  host: PluginHost,
  settings: HostSettings,
  { stored, keptPrompts, sharedGames, memory }: MakeOptions = {},
): Promise<Parts> {
  const { recipe } = plan;
  const { name, options } = recipe.policy;
  const open = await openParts(plan, host, settings, { memory, keptPrompts, plays: true });
  const { entries, transfer, rl, sampler, instances, policyContext, policyEstimate } = open;
  try {
    // A model from scratch needs demonstrations for its tokenizer. A model from a folder may have its own syntax of
    // function calls, in which its demonstrations are written.
    const early =
      policyContext.from === undefined
        ? await prepareDemonstrations(plan, demonstrationContexts(plan, open, settings, sharedGames), stored)
        : undefined;
    const trained = await instances.policy(
      { name, options },
      { ...policyContext, corpus: () => (early ? corpusOf(early, open) : noCorpus()) },
    );
    const policy = await sampledPolicy(plan, trained, open, settings.signal);
    const { preset: _, ...learnt } = policyContext;
    const criticFrom = (folder: string): Promise<PolicyModel> =>
      instances.policy({ name, options }, { ...learnt, corpus: noCorpus, from: folder, valueHead: true });
    try {
      const played = (entry: OpenEntry): PlayedEntry => playEntry(plan, entry, policy);
      const playing = mapFilled(entries, played);
      const maxTokens = Math.min(policy.capabilities.maxTokens, longestSequence(plan.recipe));
      for (const entry of playing) refuseLongPrompt(plan, entry, policy.encoder, maxTokens);
      const contexts = demonstrationContexts(
        plan,
        { ...open, entries: playing },
        settings,
        sharedGames,
        policy.encoder,
      );
      const demonstrations = early ?? (await prepareDemonstrations(plan, contexts, stored));
      if (open.policyEstimate === undefined) refuseUnfitPolicy(plan, open, policy.capabilities);
      return {
        ...{ entries: playing, transfer: transfer.map(played), rl, memory: open.memory, sampler, policyEstimate },
        ...{ demonstrations, policy, criticFrom, contexts, records: instances.records },
        verdicts: instances.verdicts,
      };
    } catch (error) {
      await policy.dispose();
      throw error;
    }
  } catch (error) {
    await disposeParts(open);
    throw error;
  }
}

function playEntry({ recipe }: RunPlan, entry: OpenEntry, policy: PolicyModel): PlayedEntry {
  const { tools, plan } = entry;
  const format = fitFormat(entry.format, { tools, encoder: policy.encoder });
  const { observationTokens } = plan.environment;
  refuseShortObservations(plan, policy.encoder);
  const prompt = cutPrompt(entry.writePrompt(format), observationTokens, policy.encoder);
  const { maxEpisodeTokens } = recipe.rollout;
  const { maxActionTokens, ...sampling } = plan.sampling;
  const limits = { maxActionTokens, maxEpisodeTokens, observationTokens, history: recipe.policy.history };
  return {
    ...entry,
    format,
    prompt,
    actor: { kind: 'model', model: policy, format, sampling, ...limits, tools, prompt },
  };
}

/**
 * What the demonstrations of each environment are prepared with.
 *
 * @param encoder of the policy. Absent: it does not exist yet
 */
export function demonstrationContexts(
  { recipe }: RunPlan,
  { entries, instances }: Pick<OpenParts, 'entries' | 'instances'>,
  settings: Pick<HostSettings, 'random' | 'signal'>,
  sharedGames?: string,
  encoder?: ConversationEncoder,
): FileContext[] {
  const { random, signal } = settings;
  const openOther = (other: DemonstratedEnvironment) => instances.environment(playedEnvironment(recipe, other));
  return entries.map(({ environment, format, plan, tools }, place): FileContext => {
    return {
      entry: plan,
      environment,
      format: fitFormat(format, { tools, encoder }),
      ...{ tools, system: plan.prompt?.system },
      ...{ sharedGames, random, signal, openOther },
      siblings: entries.flatMap((one, other) => (other === place ? [] : [one.environment])),
      takesOthers: place === 0,
    };
  });
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
      folder: settings.folder,
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
async function* corpusOf(demonstrations: Parts['demonstrations'], { entries }: OpenParts): AsyncIterable<string> {
  for (const { format, tools, writePrompt } of demonstrations.size === 0 ? [] : entries) {
    const { examples } = writePrompt(fitFormat(format, { tools }));
    // The demonstrations have its system text.
    if (examples !== undefined)
      yield conversationText({
        name: 'the prompt',
        system: '',
        observations: [...examples.observations, examples.before('')],
        texts: examples.texts,
      });
  }
  for (const stage of [...demonstrations.values()].flat()) {
    for await (const demonstration of stage.corpus()) yield conversationText(demonstration);
  }
}

/** How demonstrations become rows for the policy. */
export function layoutOf(
  plan: RunPlan,
  { sampling: { maxActionTokens: actionTokens } }: EntryPlan,
  capabilities: Pick<PolicyCapabilities, 'maxTokens'>,
  prompt: Prompt | undefined,
): DemonstrationLayout {
  const { history = 'full' } = plan.recipe.policy;
  const { maxEpisodeTokens } = plan.recipe.rollout;
  // A sequence with a note about turns that are not shown may be longer than what the episode read.
  const maxTokens = Math.min(capabilities.maxTokens, history === 'full' ? longestSequence(plan.recipe) : Infinity);
  return { actionTokens, maxTokens, maxEpisodeTokens, examples: prompt?.examples, history };
}

/** Throws AG_RECIPE_INVALID if observations are cut so short that the mark of a cut leaves no room for them. */
export function refuseShortObservations({ environment, path }: EntryPlan, encoder: ConversationEncoder): void {
  const { observationTokens } = environment;
  if (observationTokens === undefined) return;
  const mark = markTokens(encoder);
  if (observationTokens > mark) return;
  const key = formatPath([...path, 'observationTokens']);
  throw new AgentgymError('AG_RECIPE_INVALID', {
    message: `\`${key}\` is ${observationTokens}, and the mark of a cut alone may have ${mark} tokens in this policy.`,
    hint: `Raise it to ${2 * mark} or more, or remove it.`,
    path: key,
  });
}

/**
 * Throws AG_DEMONSTRATION if the examples of the prompt leave no room for an action, and AG_RECIPE_INVALID if the window of
 * a history is smaller than a system text and an action.
 */
export function refuseLongPrompt(
  plan: RunPlan,
  { environment, format, plan: entry, prompt, tools }: Omit<PlayedEntry, 'actor'>,
  encoder: ConversationEncoder,
  maxTokens: number,
): void {
  const { maxActionTokens } = entry.sampling;
  const writing = { format, tools, instructions: environment.world.instructions };
  const path = formatPath(entryPath(plan, entry, ['prompt', 'examples', 'count']));
  refuseLongExamples(prompt, encoder, writing, { maxTokens, maxActionTokens }, { path, count: `\`${path}\`` });
  const { tokens } = windowOf(plan.recipe.policy.history);
  const begun = encoder.begin(systemPrompt(writing.instructions, format, tools, prompt.system), '').length;
  if (begun + maxActionTokens + 1 <= tokens) return;
  throw new AgentgymError('AG_RECIPE_INVALID', {
    message: `The window \`policy.history.tokens\` has ${tokens} tokens, but the system text has ${begun}, so no observation and no action of ${maxActionTokens} tokens fit beside it.`,
    hint: 'Raise it so that the system text, an observation and an action fit.',
    path: 'policy.history.tokens',
  });
}
