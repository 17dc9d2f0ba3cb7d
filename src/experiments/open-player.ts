import type { Recipe } from '../config/recipe-schema.js';
import { type EntryPlan, type RunPlan, usualToolLimits } from '../config/run-plan.js';
import type { Player } from '../contracts/player.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { isSourceName } from '../hub/model-source.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { type Actor, isTextPlayer } from '../rollout/actor.js';
import type { RolloutSettings } from '../rollout/collect-episodes.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import type { EpisodeCounts } from '../rollout/episode-counts.js';
import { fitFormat } from '../rollout/fit-format.js';
import { randomPlayer } from '../rollout/players.js';
import type { Toolbox } from '../rollout/toolbox.js';
import { chosenFormat, refuseLongAnswer, usualActionTokens } from './answer-settings.js';
import { type FoundModel, findModel, loadModel } from './find-model.js';
import { type PlayerFlags, refuseCheckpoint, refuseModelFlags, refuseTokenLimit, refuseTools } from './idle-flags.js';
import { Instances } from './instances.js';
import type { OpenEnvironment } from './open-environment.js';
import { playedEnvironment } from './open-parts.js';
import { withPrompt } from './open-prompt.js';

/** Turns of an episode if neither a recipe nor the environment gives a number. */
const DEFAULT_TURNS = 30;

/** How episodes are played without a recipe. */
export const defaultRollout: RolloutSettings = {
  inFlight: 256,
  retries: 0,
  playerMilliseconds: 60_000,
  maxFailedShare: 0.5,
};

export interface OpenPlayerRequest extends PlayerFlags {
  /** `random`, an expert's name, a run, a folder with a model, a text model as `NAME:ADDRESS`; or an existing player. */
  readonly policy: string | Player;
  /** Absent: the environment that the run was trained in. */
  readonly environment?: string | undefined;
  /** What `findPlayedModel` found for the policy. Absent: it is looked for. */
  readonly found?: FoundModel | undefined;
  /** Options of the environment. They override the run's options if the environment is the same. */
  readonly options: { readonly [name: string]: unknown };
  /** Turns of an episode. Absent: the number of the run, or of the environment. */
  readonly turns?: number;
  /** Temperature of a model. Absent: 0. */
  readonly temperature?: number;
  /** Absent: nobody is told. */
  readonly progress?: EpisodeListener | undefined;
  readonly host: PluginHost;
  readonly settings: HostSettings;
  readonly runsFolder: string;
}

/** Hears what a command that plays is doing. */
interface EpisodeListener {
  /** Who plays from now on, or what is done before. */
  begin(what: string): void;
  take(counts: EpisodeCounts): void;
}

/** A player, and the world to play in. */
export interface OpenPlayer {
  readonly name: string;
  /** The player, for files that leave this machine: the id of a run, the name of a folder, or `name`. */
  readonly origin: string;
  readonly actor: Actor;
  readonly environment: OpenEnvironment;
  readonly reward: ComposedReward;
  readonly horizon: number;
  /**
   * The run's settings for its final evaluation. Present if the policy plays the environment that it was trained in.
   */
  readonly final?: Recipe['evaluation']['final'] | undefined;
  /** The environment's name in the recipe of a run of several. */
  readonly entry?: string | undefined;
  /** Clusters of tasks that it was trained on. Present if a split of the environment may have some of them. */
  readonly trainedClusters?: ReadonlySet<string> | undefined;
  dispose(): Promise<void>;
}

/**
 * Finds the requested player. Throws AG_PLAYER_UNKNOWN for an unknown name, and the errors of runs, contributions and
 * options.
 */
export async function openPlayer(request: OpenPlayerRequest): Promise<OpenPlayer> {
  const { policy, host, settings } = request;
  request.progress?.begin('opening the policy and the environment');
  const text = typeof policy === 'string' ? textModel(policy) : undefined;
  const model = request.found ?? (await findPlayedModel(request));
  const plan = model?.plan;
  const instances = new Instances(host, { ...settings, sandbox: plan?.recipe.sandbox });
  // An address may have a password.
  const who = text?.name ?? (typeof policy === 'string' ? policy : policy.name);
  if (plan === undefined) refuseCheckpoint(who, request);
  const recipe = plan?.recipe;
  const entry = plan && chosenEntry(plan, request.environment, model?.name ?? '');
  const name = entry?.environment.name ?? request.environment;
  if (name === undefined) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message:
        model === undefined && text === undefined && who !== randomPlayer
          ? `\`${who}\` is not a run; an expert needs an environment.`
          : `\`${who}\` does not say in which environment it plays.`,
      hint: 'Name it with `--environment NAME` (`agentgym list environments`); `agentgym runs list` lists the runs.',
    });
  }
  const played = recipe && entry ? playedEnvironment(recipe, entry.environment) : { name };
  const options = { ...entry?.environment.options, ...request.options };
  const environment = await instances.environment({ ...played, options });
  let tools: Toolbox | undefined;
  let actor: Actor | undefined;
  const dispose = async (): Promise<void> => {
    await environment.pool.dispose();
    await tools?.dispose();
    if (actor?.kind === 'model') await actor.model.dispose();
    if (actor?.kind === 'player' && isTextPlayer(actor.player)) await actor.player.dispose?.();
  };
  try {
    const { terms = [{ name: 'sparse', weight: 1 }] } = entry?.reward ?? recipe?.reward ?? {};
    const reward = await instances.reward(terms);
    const horizon = request.turns ?? entry?.evaluationHorizon ?? environment.world.maxTurns ?? DEFAULT_TURNS;
    const named = request.tools?.map((tool) => ({ name: tool })) ?? entry?.tools ?? recipe?.tools ?? [];
    if (text !== undefined) refuseTokenLimit(text.name, request);
    if (model === undefined && text === undefined) {
      refuseModelFlags(who, request);
      if (typeof policy === 'string') {
        checkPlayer(policy, environment);
        refuseTools(policy, request);
      }
    }
    tools = await instances.tools(named, plan?.toolLimits ?? usualToolLimits, environment.world);
    const seat = { instances, tools };
    actor =
      model !== undefined
        ? await openModel(model, entry, request, seat)
        : text !== undefined
          ? await openTextModel(text, request, seat)
          : typeof policy === 'string'
            ? { kind: 'environment', player: policy }
            : { kind: 'player', player: policy, tools };
    const told = entry ?? { prompt: recipe?.prompt, entry: undefined };
    const ownPrompt = model && { settings: told.prompt, kept: model.prompts?.get(told.entry) };
    const prompt = { asked: request.prompt, own: ownPrompt, environment, horizon, rollout: defaultRollout, settings };
    actor = await withPrompt(actor, prompt);
    const player = actor.kind === 'player' ? actor.player.name : who;
    return {
      name: model?.name ?? player,
      origin: model?.origin ?? player,
      ...{ actor, environment, reward, horizon, dispose },
      final: entry && recipe?.evaluation.final,
      entry: entry?.entry,
      trainedClusters: model?.trainedClusters?.get(environment.name),
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/**
 * The environment of a run in which it plays. Undefined: one that it was not trained in.
 *
 * @param named by its name in the recipe, or of the environment. Absent: the only one
 * @throws AG_COMMAND_USAGE if several are meant
 */
function chosenEntry({ entries }: RunPlan, named: string | undefined, run: string): EntryPlan | undefined {
  const byEntry = entries.find(({ entry }) => named !== undefined && entry === named);
  const [found, ...others] = entries.filter(({ environment }) => named === undefined || environment.name === named);
  if (byEntry !== undefined || others.length === 0) return byEntry ?? found;
  const names = [found, ...others].map((one) => one?.entry).join(', ');
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`${run}\` was trained in several environments${named === undefined ? '' : ` that are \`${named}\``}: ${names}.`,
    hint: 'Name one of them as the environment.',
  });
}

/** A text model and its address. */
interface TextModel {
  readonly name: string;
  readonly address: string;
}

/** The run, folder or pulled model that is to play. Undefined: another player is. */
export async function findPlayedModel(request: OpenPlayerRequest): Promise<FoundModel | undefined> {
  const { policy, runsFolder, settings, checkpoint } = request;
  if (typeof policy !== 'string' || textModel(policy) !== undefined) return undefined;
  return findModel(policy, { runsFolder, cacheDirectory: settings.cacheDirectory, checkpoint });
}

/** The parts of `NAME:ADDRESS`. Undefined for anything else; the drive of a path in Windows has one letter. */
function textModel(policy: string): TextModel | undefined {
  if (isSourceName(policy)) return undefined;
  const [, name, address] = /^([a-z][a-z0-9-]+):(.*)$/.exec(policy) ?? [];
  return name === undefined || address === undefined ? undefined : { name, address };
}

async function openModel(
  found: FoundModel,
  entry: EntryPlan | undefined,
  request: OpenPlayerRequest,
  { instances, tools }: { readonly instances: Instances; readonly tools: Toolbox | undefined },
): Promise<Actor> {
  const recipe = found.plan?.recipe;
  const named = await chosenFormat(request, instances, entry?.format ?? recipe?.format);
  const model = await loadModel(found, instances, request.policyOptions);
  const format = fitFormat(named, { tools, encoder: model.encoder });
  const own = entry?.sampling ?? recipe?.policy.sampling ?? { topP: 1, topK: 0, maxActionTokens: usualActionTokens };
  const { maxActionTokens = own.maxActionTokens } = request;
  refuseLongAnswer(request, model.capabilities.maxTokens);
  const sampling = { temperature: request.temperature ?? 0, topP: own.topP, topK: own.topK, exact: true };
  const { maxEpisodeTokens } = recipe?.rollout ?? {};
  const { observationTokens } = entry?.environment ?? {};
  const limits = { maxActionTokens, maxEpisodeTokens, observationTokens, history: recipe?.policy.history };
  return { kind: 'model', model, format, sampling, ...limits, tools };
}

async function openTextModel(
  { name, address }: TextModel,
  request: OpenPlayerRequest,
  { instances, tools }: { readonly instances: Instances; readonly tools: Toolbox | undefined },
): Promise<Actor> {
  const { policyOptions = {}, temperature = 0 } = request;
  const format = fitFormat(await chosenFormat(request, instances), { tools });
  const player = await instances.player({ name, options: policyOptions }, { address, temperature });
  return { kind: 'player', player, format, tools };
}

/** Throws AG_PLAYER_UNKNOWN for a name that is not a player of the environment. */
function checkPlayer(policy: string, { name, world }: OpenEnvironment): void {
  const players = [randomPlayer, ...world.experts];
  if (players.includes(policy)) return;
  throw new AgentgymError('AG_PLAYER_UNKNOWN', {
    message: `\`${policy}\` is not a run, not a folder with a model, and not a player of ${name}.`,
    hint: `Players of ${name}: ${players.join(', ')}. \`agentgym runs list\` lists the runs.`,
  });
}
