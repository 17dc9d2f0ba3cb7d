// Opens and checks the parts of a recipe that are quick to create. `train --check` ends here; a run continues with
// demonstrations and the policy.
import { existsSync } from 'node:fs';

import type { Recipe } from '../config/recipe-schema.js';
import { formatPath, type KeyPath } from '../config/recipe-layer.js';
import { settingPath, type RlStagePlan, type RunPlan } from '../config/run-plan.js';
import type { Algorithm } from '../contracts/algorithm.js';
import type { Curriculum } from '../contracts/curriculum.js';
import type { ActionFormat } from '../contracts/format.js';
import type { Random } from '../contracts/random.js';
import type { PolicyCapabilities, PolicyContext, PolicyEstimate } from '../contracts/policy.js';
import type { TokenSampler } from '../contracts/sampler.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import type { Prompt } from '../rollout/actor.js';
import { fitFormat } from '../rollout/fit-format.js';
import { expertActor } from '../rollout/players.js';
import { taskPool } from '../rollout/task-pool.js';
import type { Toolbox } from '../rollout/toolbox.js';
import type { WritingPolicy } from '../rollout/write-demonstration.js';
import { runWeights } from '../runs/checkpoints.js';
import type { KeptPrompt } from '../runs/kept-prompt.js';
import { manifestPath } from '../runs/run-manifest.js';
import { refuseUnpaidGroups } from '../training/collect-groups.js';
import { atKey } from './at-key.js';
import { checkPolicy, checkSplits, checkStageNeeds, checkStates } from './check-parts.js';
import { chooseExamples } from './choose-examples.js';
import { type MemoryEstimate } from './estimate-memory.js';
import { refuseInexact } from './inexact-reasons.js';
import { Instances, type Named } from './instances.js';
import { estimateModels, judgeMemory, type MemoryPolicy } from './judge-memory.js';
import type { OpenEnvironment, PlaySettings } from './open-environment.js';
import { resolveStart } from './resolve-start.js';
import { stageRandom } from './stage-random.js';
import { withSampler } from './sampled-elsewhere.js';
import { promptOf, writePrompt } from './write-prompt.js';

/** The parts of one rl stage. */
interface RlParts {
  readonly plan: RlStagePlan;
  readonly algorithm: Algorithm;
  readonly reward: ComposedReward;
  readonly curriculum: Curriculum;
}

/** Everything that a recipe names, except its policy. Dispose of it with `disposeParts`. */
export interface OpenParts {
  readonly environment: OpenEnvironment;
  /**
   * Other environments of the final evaluation, by their names in the recipe. Environments equal to the recipe's own
   * are left out.
   */
  readonly transfer: ReadonlyMap<string, OpenEnvironment>;
  readonly format: ActionFormat;
  /** Tools that the policy may call. Absent: no tools. */
  readonly tools?: Toolbox;
  /** The recipe's prompt in an action format. */
  readonly writePrompt: (format: ActionFormat) => Prompt;
  /** The recipe's own reward. Evaluations report its returns. */
  readonly reward: ComposedReward;
  /** Parts of each rl stage, by name. */
  readonly rl: ReadonlyMap<string, RlParts>;
  /** What samples training episodes. Absent: the policy itself. */
  readonly sampler?: TokenSampler;
  readonly instances: Instances;
  /** The context for creating the policy, except its corpus. */
  readonly policyContext: Omit<PolicyContext, 'corpus'>;
  /** A description of the future policy. Absent if its plugin cannot tell. */
  readonly policyEstimate?: PolicyEstimate;
  readonly memory: MemoryEstimate;
}

/** How parts are opened. */
export interface OpenOptions {
  /** Default: a recipe that does not fit is refused. */
  readonly memory?: MemoryPolicy | undefined;
  /** The prompt that a resumed run has stored. Absent: a new run. */
  readonly keptPrompt?: KeptPrompt | undefined;
  /** Whether experts play the games of the prompt. Without them, it shows those of a file only. */
  readonly plays: boolean;
}

/** Opens the parts that a recipe names, and makes all checks that need no demonstration. It writes nothing. */
export async function openParts(
  plan: RunPlan,
  host: PluginHost,
  settings: HostSettings,
  { memory: memoryPolicy, keptPrompt, plays }: OpenOptions,
): Promise<OpenParts> {
  const { recipe } = plan;
  const instances = new Instances(host, settings);
  const environment = await atKey(['environment'], () => instances.environment(playedEnvironment(recipe)));
  const transfer = new Map<string, OpenEnvironment>();
  let tools: Toolbox | undefined;
  let sampler: TokenSampler | undefined;
  try {
    for (const { name, environment: other, isOwn } of plan.transfer) {
      const path = ['evaluation', 'final', 'transfer', name];
      if (isOwn) continue;
      transfer.set(name, await atKey(path, () => instances.environment(playedEnvironment(recipe, other))));
    }
    checkSplits(plan, environment, [...transfer.values()]);
    refuseMissingExperts(plan, environment);
    const format = await atKey(['format'], () => instances.format(recipe.format));
    tools = await atKey(['tools'], () => instances.tools(recipe.tools ?? [], plan.toolLimits));
    const writePromptIn = await atKey(examplesPath, () =>
      openPrompt(plan, environment, settings, { keptPrompt, plays }),
    );
    const writing = { ...(tools && { tools }), instructions: environment.world.instructions };
    const reward = await atKey(['reward'], () => instances.reward(recipe.reward.terms));
    const rl = await rlParts(plan, instances, environment, settings.random);
    const policyContext = await atKey(['policy', 'from'], () => contextOf(recipe, rl, settings.cacheDirectory));
    sampler = await openSampler(recipe, instances);
    const named = { environment, transfer, format, ...(tools && { tools }), reward, rl, ...(sampler && { sampler }) };
    const open = { ...named, writePrompt: (of: ActionFormat) => writePromptIn({ ...writing, format: of }) };
    const algorithms = [...rl.values()].map(({ algorithm }) => algorithm);
    const estimation = {
      instances,
      policyContext,
      algorithms,
      environments: [environment, ...transfer.values()] as const,
    };
    // Errors of the action format appear here, at the key.
    await atKey(examplesPath, () => Promise.resolve(open.writePrompt(fitFormat(format, { tools }))));
    const models = await atKey(['policy'], () => estimateModels(plan, estimation));
    if (models !== undefined) {
      const evaluates = recipe.policy.sampler?.evaluates === true;
      const { capabilities: own } = models.policy;
      const capabilities = sampler ? withSampler(own, sampler.promises, evaluates) : own;
      refuseUnfitPolicy(plan, open, capabilities);
    }
    const memory = await judgeMemory(plan, models, estimation, memoryPolicy);
    return { ...open, instances, policyContext, ...(models && { policyEstimate: models.policy }), memory };
  } catch (error) {
    await disposeParts({ environment, transfer, ...(tools && { tools }), ...(sampler && { sampler }) });
    throw error;
  }
}

const examplesPath: KeyPath = ['prompt', 'examples'];

/** Chooses the games of the prompt, and returns what writes them in a format. */
async function openPrompt(
  { recipe, longestHorizon, rollout }: RunPlan,
  environment: OpenEnvironment,
  settings: HostSettings,
  { keptPrompt: kept, plays }: Pick<OpenOptions, 'keptPrompt' | 'plays'>,
): Promise<(writing: WritingPolicy) => Prompt> {
  const { examples, ...prompt } = recipe.prompt ?? {};
  if (kept !== undefined) return () => promptOf(prompt.system, kept.games);
  const chosen =
    examples === undefined || (examples.file === undefined && !plays)
      ? []
      : await chooseExamples(examples, { environment, rollout, horizon: longestHorizon, ...settings });
  return (writing) => writePrompt(prompt, chosen, writing);
}

/** The sampler that a recipe names. Throws AG_POLICY_CANNOT if the policy cannot hand its weights over. */
async function openSampler({ policy }: Recipe, instances: Instances): Promise<TokenSampler | undefined> {
  const { name, options, sampler, sampling } = policy;
  if (sampler === undefined) return undefined;
  const { address } = sampler;
  return atKey(['policy', 'sampler'], async () => {
    await instances.refuseUnexported({ name, options });
    const { temperature, topK, topP } = sampling;
    const context = { ...(address !== undefined && { address }), sampling: { temperature, topK, topP } };
    return instances.sampler({ name: sampler.name, options: sampler.options }, context);
  });
}

/**
 * Throws AG_POLICY_CANNOT if a stage or its algorithm needs what the policy cannot do, and AG_RUN_INEXACT if the recipe wants
 * exact runs and cannot have them. Called once: before the policy is created, if its plugin tells the capabilities.
 */
export function refuseUnfitPolicy(
  plan: RunPlan,
  open: Pick<OpenParts, 'environment' | 'transfer' | 'tools' | 'rl'>,
  capabilities: PolicyCapabilities,
): void {
  const { name, sampler } = plan.recipe.policy;
  checkStageNeeds(plan, capabilities, name);
  for (const { algorithm, plan: stage } of open.rl.values()) {
    checkPolicy(algorithm, capabilities, name, stage.update.recomputeLogprobs, sampler?.name);
  }
  refuseInexact(plan.recipe, { ...open, policy: { capabilities } });
}

/** Disposes of the instances of all environments, of the tools and of the sampler. */
export async function disposeParts(
  parts: Pick<OpenParts, 'environment' | 'transfer' | 'tools' | 'sampler'>,
): Promise<void> {
  const { environment, sampler, transfer, tools } = parts;
  await Promise.all([environment, ...transfer.values()].map(({ pool }) => pool.dispose()));
  await tools?.dispose();
  await sampler?.dispose?.();
}

/**
 * An environment of a recipe (default: its own), with the recipe's settings for playing it. These settings also apply
 * to others with the same name.
 */
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

async function contextOf(
  { policy, rollout, seed }: Recipe,
  rl: OpenParts['rl'],
  cacheDirectory: string,
): Promise<Omit<PolicyContext, 'corpus'>> {
  const { preset } = policy;
  const from = policy.from && resolveStart(policy.from, seed, cacheDirectory);
  const { maxEpisodeTokens } = rollout;
  return {
    ...(preset !== undefined && { preset }),
    ...(from !== undefined && { from: existsSync(manifestPath(from)) ? await runWeights(from) : from }),
    valueHead: [...rl.values()].some(({ algorithm }) => algorithm.critic?.trunk === 'shared'),
    ...(maxEpisodeTokens !== undefined && { maxTokens: maxEpisodeTokens }),
  };
}

/** The environment must have every expert that a stage imitates or that the prompt shows. */
function refuseMissingExperts({ recipe, stages }: RunPlan, { name, world }: OpenEnvironment): void {
  const named = stages.flatMap((stage) =>
    stage.kind === 'sft' && stage.demonstrations.file === undefined
      ? [{ path: formatPath(['stages', stage.name, 'demonstrations', 'expert']), expert: stage.demonstrations.expert }]
      : [],
  );
  const { count, expert } = recipe.prompt?.examples ?? {};
  if (expert !== undefined && count !== 0) named.push({ path: formatPath([...examplesPath, 'expert']), expert });
  for (const { path, expert: wanted } of named) {
    try {
      expertActor(world, wanted);
    } catch (error) {
      if (!isAgentgymError(error)) throw error;
      throw new AgentgymError(error.code, {
        message: `${path}: ${error.message.replace('The environment', `The environment \`${name}\``)}`,
        hint: `${error.hint} Choose one with \`--set ${path}=NAME\`.`,
        path,
      });
    }
  }
}

async function rlParts(
  { stages }: RunPlan,
  instances: Instances,
  environment: OpenEnvironment,
  random: Random,
): Promise<Map<string, RlParts>> {
  const parts = new Map<string, RlParts>();
  for (const stage of stages) {
    if (stage.kind !== 'rl') continue;
    const reward = await atKey(settingPath(stage, ['reward']), () => instances.reward(stage.reward.terms));
    const algorithm = await atKey(settingPath(stage, ['algorithm']), () => instances.algorithm(stage.algorithm));
    refuseUnpaidGroups(stage, algorithm);
    const named = { name: stage.algorithm.name, path: formatPath(settingPath(stage, ['algorithm', 'name'])) };
    await checkStates(algorithm, environment, named);
    const pool = taskPool(environment.world, stageRandom(random, stage.name).stream('tasks'));
    const curriculum = await atKey(settingPath(stage, ['curriculum']), () =>
      instances.curriculum(stage.curriculum, [pool]),
    );
    parts.set(stage.name, { plan: stage, reward, algorithm, curriculum });
  }
  return parts;
}
