// The only place where names become instances. It finds the contribution that a recipe or a flag names, completes its
// options, and loads and calls its code. All layers below receive instances.
import { basename, dirname } from 'node:path';

import { checkOptions } from '../config/check-options.js';
import type { Algorithm } from '../contracts/algorithm.js';
import type { Curriculum, TaskPool } from '../contracts/curriculum.js';
import type { Awaitable } from '../contracts/environment.js';
import type { ActionFormat } from '../contracts/format.js';
import type { JsonObject } from '../contracts/json.js';
import type { PlayerContext, TextPlayer } from '../contracts/player.js';
import type { ContributionKind } from '../contracts/plugin.js';
import type { FoundRequirement } from '../contracts/requirement.js';
import type {
  ConversationEncoder,
  ExportedModel,
  ExportSettings,
  FolderEncoderSettings,
  GgufSettings,
  PolicyContext,
  PolicyEstimate,
  PolicyHost,
  PolicyLoad,
  PolicyModel,
  PolicyModule,
} from '../contracts/policy.js';
import type { SamplerContext, TokenSampler } from '../contracts/sampler.js';
import type { SandboxOptions } from '../contracts/sandbox.js';
import { creditTools } from '../credit/credit-tools.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { checkShape } from '../errors/check-shape.js';
import { isUnavailable } from '../errors/is-unavailable.js';
import { fileError, systemReason } from '../errors/system-error.js';
import { outsideFiles } from '../files/outside-files.js';
import { callPlugin, ownerTitle, type PluginOwner } from '../plugins/call-plugin.js';
import { findFetchedModel } from '../hub/fetched-model.js';
import { estimateShape, instanceShape, type instanceShapes } from '../rollout/contribution-shapes.js';
import { createEnvironmentHost, createHost, type HostSettings } from '../plugins/create-host.js';
import type { LocatedContribution, PluginHost } from '../plugins/open-plugin-host.js';
import { compiledProgram } from '../processes/compiled-program.js';
import { findRequirements } from '../requirements/find-requirements.js';
import { composeReward, type ComposedReward, type RewardTerm } from '../rollout/compose-reward.js';
import { EnvironmentPool } from '../rollout/environment-pool.js';
import type { OpenSandbox } from '../rollout/episode-sandbox.js';
import { openLocalWorld } from '../rollout/local-world.js';
import { OpenJudge } from '../rollout/open-judge.js';
import { openThreadWorld } from '../rollout/remote/thread-world.js';
import { SharedLimits, takeFrom } from '../rollout/shared-limits.js';
import { Verdicts } from '../rollout/verdicts.js';
import type { WorldHandle } from '../rollout/world-handle.js';
import { type NamedTool, Toolbox, type ToolLimits } from '../rollout/toolbox.js';
import type { ContributionRecord } from '../runs/run-manifest.js';
import { openChosenSandbox } from '../sandbox/choose-sandbox.js';
import { ggufFolder, isGgufFile } from './gguf-folder.js';
import { guardSampler } from './guard-sampler.js';
import { type OpenEnvironment, planWorld, type PlaySettings, type WorldPlan } from './open-environment.js';
import type { ThreadData } from './thread-data.js';
import { unusableModel } from './unusable-model.js';

/** A contribution by name, with the options that were set. */
export interface Named {
  readonly name: string;
  readonly options?: { readonly [name: string]: unknown };
}

/** An empty corpus, for a policy whose tokenizer is in the folder that it starts from. */
export async function* noCorpus(): AsyncIterable<string> {
  // There is no text to build a tokenizer from.
}

/** Creates instances, and records their contributions for the manifest. */
export class Instances {
  /** Limits that worlds and tools of a run share. */
  readonly #take = takeFrom(new SharedLimits());
  readonly #records = new Map<string, ContributionRecord>();
  /** What the judges of these rewards have said. */
  readonly verdicts = new Verdicts();

  constructor(
    private readonly host: PluginHost,
    private readonly settings: HostSettings,
  ) {}

  /** The contributions of all instances so far, in order. */
  get records(): readonly ContributionRecord[] {
    return [...this.#records.values()];
  }

  /** Opens a world. Dispose of its pool at the end. */
  async environment(named: Named & PlaySettings): Promise<OpenEnvironment> {
    const { located, options } = await this.#locate('environment', named);
    const { play = {} } = located.contribution;
    const plan = planWorld(play, named);
    const found = await this.#require(located, options);
    const world = await callPlugin(located, 'open', () => this.#openWorld(located, options, plan, found));
    try {
      if (world.tools.length > 0 && located.contribution.tools !== true) throw undeclaredTools(located);
      await this.#trySandbox(world);
    } catch (error) {
      await world.close();
      throw error;
    }
    return {
      name: named.name,
      package: located.package,
      version: located.version,
      options,
      world,
      pool: new EnvironmentPool(world, plan.instances, this.#openSandbox),
      threads: plan.thread === 'worker' ? plan.workers : 0,
      heldBytes: 1e6 * (play.megabytes ?? 0),
      facts: located.contribution.facts ?? [],
      found,
    };
  }

  readonly #openSandbox: OpenSandbox = (options, id) => {
    const { sandbox = 'bubblewrap', signal } = this.settings;
    return openChosenSandbox(sandbox, options, signal, id);
  };

  /** A machine without sandboxes is found before the first episode. Throws AG_SANDBOX. */
  async #trySandbox({ sandbox: needs }: { readonly sandbox?: SandboxOptions }): Promise<void> {
    if (needs === undefined) return;
    const sandbox = await this.#openSandbox(needs, 'try');
    await sandbox.close();
  }

  /** Finds what an environment requires. Throws AG_REQUIREMENT_MISSING with how to get the first thing that is missing. */
  async #require(
    located: LocatedContribution<'environment'>,
    options: { readonly [name: string]: never },
  ): Promise<readonly FoundRequirement[]> {
    const requirements = await callPlugin(located, 'requires', () => located.contribution.requires?.(options) ?? []);
    const findings = await findRequirements(requirements, this.settings.signal);
    return findings.map((finding) => {
      if ('found' in finding) return finding.found;
      const { requirement, problem } = finding;
      throw new AgentgymError('AG_REQUIREMENT_MISSING', {
        message: `The ${ownerTitle(located)} needs ${requirement.title}: ${problem}.`,
        hint: requirement.get,
      });
    });
  }

  async #openWorld(
    located: LocatedContribution<'environment'>,
    options: { readonly [name: string]: never },
    plan: WorldPlan,
    required: readonly FoundRequirement[],
  ): Promise<WorldHandle> {
    const { cacheDirectory, log, sandbox, signal } = this.settings;
    const { milliseconds, observationCharacters } = plan;
    const limits = { milliseconds, observationCharacters };
    const title = ownerTitle(located);
    const found = Object.fromEntries(required.map((one) => [one.name, one]));
    if (plan.thread === 'worker') {
      const { contribution: _, entry, ...owner } = located;
      const data: ThreadData = { owner, entry, options, limits, title, cacheDirectory, found, sandbox };
      const program = compiledProgram(new URL('./environment-thread.js', import.meta.url));
      const { workers } = plan;
      return openThreadWorld({ program, data, workers, milliseconds, title, log, signal, take: this.#take });
    }
    const module = await this.host.load(located);
    const host = createEnvironmentHost(this.settings, located, { found, milliseconds, take: this.#take });
    const marks = this.settings.markCalls?.(title, milliseconds);
    return openLocalWorld(() => module.open(options, host), { ...limits, title, signal, marks });
  }

  async reward(terms: readonly (Named & { readonly weight: number })[]): Promise<ComposedReward> {
    const made: RewardTerm[] = [];
    for (const { name, weight, ...term } of terms) {
      const { located, module, options, host } = await this.#open('reward', { name, ...term });
      const { contribution } = located;
      const scheme = await this.#create(located, () => module.create(options, host));
      if (!('judge' in scheme)) {
        made.push({ name, weight, scheme, references: contribution.needs?.includes('references') ?? false });
        continue;
      }
      const counted = Object.entries(options).filter(([option]) => contribution.options[option]?.resumable !== true);
      const settings = {
        ...{ name, random: host.random, verdicts: this.verdicts, take: this.#take, title: ownerTitle(located) },
        identity: JSON.stringify([located.package, name, located.version, Object.fromEntries(counted)]),
      };
      const judge = await callPlugin(located, 'create', () => new OpenJudge(scheme, settings));
      made.push({ name, weight, judge, external: contribution.external ?? false, references: true });
    }
    return composeReward(made);
  }

  async format(named: Named): Promise<ActionFormat> {
    const { located, module, options, host } = await this.#open('format', named);
    return this.#create(located, () => module.create(options, host));
  }

  /**
   * A box of tools, in the order in which they read a text, with the functions of a world. Undefined if there is nothing in
   * it. Dispose of it at the end.
   *
   * @throws AG_TOOL_NAME
   */
  async tools(
    all: readonly Named[],
    limits: ToolLimits,
    { actions, tools }: Pick<WorldHandle, 'actions' | 'tools'>,
  ): Promise<Toolbox | undefined> {
    const made: NamedTool[] = [];
    try {
      const taken = all.find((named) => [...actions, ...tools].some(({ name }) => name === named.name));
      if (taken !== undefined) {
        throw new AgentgymError('AG_TOOL_NAME', {
          message: `The environment has a function \`${taken.name}\`, so no tool can have this name.`,
        });
      }
      for (const named of all) {
        const { located, module, options } = await this.#open('tool', named);
        const host = createEnvironmentHost(this.settings, located, { take: this.#take });
        const tool = await callPlugin(located, 'create', () => module.create(options, host));
        made.push({ name: named.name, tool, external: located.contribution.external ?? false });
        await this.#trySandbox(tool);
      }
    } catch (error) {
      await new Toolbox(made, limits).dispose();
      throw error;
    }
    return made.length + tools.length + actions.length === 0 ? undefined : new Toolbox(made, limits, tools, actions);
  }

  async player(named: Named, context: PlayerContext): Promise<TextPlayer> {
    const { located, module, options, host } = await this.#open('player', named);
    return this.#create(located, () => module.create(options, host, context));
  }

  async algorithm(named: Named): Promise<Algorithm> {
    const { located, module, options, host } = await this.#open('algorithm', named);
    return this.#create(located, () => module.create(options, { ...host, credit: creditTools }));
  }

  /**
   * @param pools the training tasks of each entry
   * @throws AG_CURRICULUM with what `create` says against these pools: a plain Error, and no fault of its code
   */
  async curriculum(named: Named, pools: readonly [TaskPool, ...TaskPool[]]): Promise<Curriculum> {
    const { located, module, options, host } = await this.#open('curriculum', named);
    try {
      return await this.#create(located, () => module.create(options, host, pools));
    } catch (error) {
      const cause = isAgentgymError(error) ? error.cause : undefined;
      if (!(cause instanceof Error) || cause.constructor !== Error) throw error;
      throw new AgentgymError('AG_CURRICULUM', {
        message: `The curriculum \`${named.name}\` cannot be used here: ${cause.message}.`,
        hint: 'Change its options, or choose another curriculum.',
        path: 'curriculum',
        cause,
      });
    }
  }

  async policy(named: Named, context: PolicyContext): Promise<PolicyModel> {
    const { located, module, options, host: own } = await this.#open('policy', named);
    const openEncoder: PolicyHost['openEncoder'] = (...given) => this.#openEncoder(...given);
    const host = { ...own, credit: creditTools, openEncoder };
    return startingFrom(context, async () => {
      const known = { ...context, ...(await this.#start(located, module, context)), findModel: this.#findModel };
      return this.#create(located, () => module.create(options, host, known));
    });
  }

  /** Creates a sampler, which asks no server yet. */
  async sampler(named: Named, context: SamplerContext): Promise<TokenSampler> {
    const { located, module, options, host } = await this.#open('sampler', named);
    return guardSampler(located, await this.#create(located, () => module.create(options, host, context)));
  }

  /** Describes a policy before it is created. Undefined if its plugin cannot tell. */
  async policyEstimate(
    named: Named,
    context: Omit<PolicyContext, 'corpus'>,
    load: PolicyLoad,
  ): Promise<PolicyEstimate | undefined> {
    const { located, module, options, host } = await this.#open('policy', named);
    const { cacheDirectory } = host;
    return startingFrom(context, () =>
      callPlugin(located, 'estimate', async () => {
        const from = await this.#start(located, module, context);
        const known = { ...context, ...from, findModel: this.#findModel, cacheDirectory };
        const estimate = await module.estimate?.(options, known, load, outsideFiles);
        return estimate && checkShape(estimate, estimateShape, 'the result of estimate()');
      }),
    );
  }

  /** Throws AG_POLICY_CANNOT if the policy cannot write its model as a Hugging Face folder. */
  async refuseUnexported(named: Named): Promise<void> {
    const { located, module } = await this.#open('policy', named);
    if (module.exportFolder !== undefined) return;
    throw new AgentgymError('AG_POLICY_CANNOT', {
      message: `The ${ownerTitle(located)} cannot hand its weights to a sampler: it writes no Hugging Face folders.`,
      hint: 'Remove `policy.sampler`, or choose another policy, such as `transformer`.',
      path: 'policy.sampler',
    });
  }

  /**
   * Writes the model of a checkpoint as a Hugging Face folder, into an existing empty folder.
   *
   * @throws AG_POLICY_CANNOT if the policy has no such function
   */
  async exportPolicy(
    named: Named,
    checkpoint: string,
    directory: string,
    settings: ExportSettings,
  ): Promise<ExportedModel> {
    const { located, module, options } = await this.#open('policy', named);
    if (module.exportFolder === undefined) throw cannot(located, 'export its models');
    return checkedExport(located, () => module.exportFolder!(options, checkpoint, directory, settings, outsideFiles));
  }

  /**
   * Writes the model of a checkpoint as a GGUF file.
   *
   * @throws AG_POLICY_CANNOT if the policy has no such function
   */
  async exportGguf(named: Named, checkpoint: string, file: string, settings: GgufSettings): Promise<ExportedModel> {
    const { located, module, options } = await this.#open('policy', named);
    if (module.exportGguf === undefined) throw cannot(located, 'write GGUF files');
    return checkedExport(located, () => module.exportGguf!(options, checkpoint, file, settings, outsideFiles));
  }

  /** The folder of the model in a GGUF file, for a policy that starts from it. @throws AG_POLICY_CANNOT, and what the policy says of the file */
  async startFolder(named: Named, from: string): Promise<string> {
    const { located, module } = await this.#open('policy', named);
    return startingFrom({ from }, async () => (await this.#start(located, module, { from })).from ?? from);
  }

  async #start(
    located: PluginOwner,
    { importGguf }: Pick<PolicyModule<unknown>, 'importGguf'>,
    { from }: Pick<PolicyContext, 'from'>,
  ): Promise<Pick<PolicyContext, 'from'>> {
    if (from === undefined || !isGgufFile(from)) return {};
    if (importGguf === undefined) throw cannot(located, 'read GGUF files');
    const { log } = this.settings;
    return {
      from: await ggufFolder(from, this.settings, (directory) => {
        log.info(`${basename(from)} is written as a Hugging Face folder, once.`);
        return callPlugin(located, 'importGguf', async () => {
          try {
            await importGguf(from, directory, outsideFiles);
          } catch (error) {
            throw unwritten(from, directory, error);
          }
        });
      }),
    };
  }

  readonly #findModel = (name: string): string | undefined => findFetchedModel(this.settings.cacheDirectory, name);

  async #openEncoder(folder: string, settings?: FolderEncoderSettings): Promise<ConversationEncoder> {
    const policies = await this.host.contributions('policy');
    const opener = policies.find(({ contribution }) => contribution.opensEncoders);
    const { openEncoder } = opener === undefined ? {} : await this.host.load(opener);
    if (opener === undefined || openEncoder === undefined) {
      throw new AgentgymError('AG_POLICY_CANNOT', {
        message: 'No installed policy opens the tokenizer of a folder.',
        hint: 'The policy `transformer` does: `agentgym plugins install policy-transformer`.',
      });
    }
    const { cacheDirectory } = createHost(this.settings, opener);
    return callPlugin(opener, 'openEncoder', () => openEncoder(folder, { ...settings, cacheDirectory }, outsideFiles));
  }

  /** Creates an instance, and checks that it has the members that the loop calls. */
  #create<T>(
    located: PluginOwner & { readonly kind: keyof typeof instanceShapes },
    work: () => Awaitable<T>,
  ): Promise<T> {
    return callPlugin(located, 'create', async () => {
      const made = await work();
      return checkShape(made, instanceShape(located.kind, made), 'the result of create()');
    });
  }

  async #open<Kind extends ContributionKind>(kind: Kind, named: Named) {
    const { located, options } = await this.#locate(kind, named);
    const host = createHost(this.settings, located);
    return { located, module: await this.host.load(located), options, host };
  }

  /** Finds a contribution and completes its options. It runs no code of the contribution except `validate`. */
  async #locate<Kind extends ContributionKind>(kind: Kind, named: Named) {
    const located = await this.host.find(kind, named.name);
    const options = wholeOptions(located, named.options ?? {});
    const { contribution: _, ...origin } = located;
    const record = { ...origin, options: options as JsonObject };
    this.#records.set(JSON.stringify(record), record);
    return { located, options };
  }
}

/** The error of a conversion. One of the operating system, such as that of a full disk, is none of the file's. */
function unwritten(file: string, directory: string, error: unknown): unknown {
  const known = fileError(error);
  if (known === undefined || (error as NodeJS.ErrnoException).path !== undefined) return known ?? error;
  return new AgentgymError('AG_FILE_FAILED', {
    message: `The folder of ${basename(file)} could not be written in ${dirname(directory)}: ${systemReason(error)}.`,
    hint: 'It takes up to ten times the bytes of the file. Make space there, or name a folder on another disk in AGENTGYM_CACHE_DIR. Then run the same command again.',
    file: dirname(directory),
    cause: error,
  });
}

/** Adds the folder to the error if the plugin cannot load it. */
async function startingFrom<T>({ from }: Pick<PolicyContext, 'from'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (from === undefined || !isAgentgymError(error) || error.code !== 'AG_PLUGIN_FAILED') throw error;
    const { cause, message } = error;
    if (isUnavailable(cause)) throw new AgentgymError('AG_POLICY_UNAVAILABLE', { message, path: 'policy', cause });
    const problem = unusableModel(from);
    if (problem !== undefined) {
      throw new AgentgymError(problem.code, { ...problem, message: problem.message, path: 'policy.from', cause });
    }
    throw new AgentgymError('AG_PLUGIN_FAILED', {
      message,
      hint: isGgufFile(from)
        ? `Fetch ${basename(from)} again, if it is damaged. Otherwise choose another GGUF file of the model, or its Hugging Face folder: docs/guides/bring-a-model.md says what is read.`
        : `Check the start of the policy, \`policy.from\` in a recipe: ${from}. A folder next to the recipe begins with \`./\`.`,
      path: 'policy.from',
      cause,
    });
  }
}

/**
 * Options with their defaults. Throws AG_OPTION_INVALID. A recipe's options were already checked, with file and line.
 */
function wholeOptions<Kind extends ContributionKind>(
  { kind, name, contribution }: LocatedContribution<Kind>,
  given: { readonly [name: string]: unknown },
): { readonly [name: string]: never } {
  const { values, findings } = checkOptions(contribution.options, given);
  const options = values as { readonly [name: string]: never };
  // Idle options are checked with the recipe. Their origin is not known here.
  const wrong = (contribution.validate?.(options) ?? []).filter(({ idle }) => idle !== true);
  const [finding] = findings.length > 0 ? findings : wrong;
  if (finding !== undefined) {
    throw new AgentgymError('AG_OPTION_INVALID', {
      message: `${kind} \`${name}\`: ${finding.message}`,
      hint: finding.hint,
      path: finding.path.join('.'),
    });
  }
  return options;
}

function cannot(owner: PluginOwner, what: string): AgentgymError {
  return new AgentgymError('AG_POLICY_CANNOT', {
    message: `The ${ownerTitle(owner)} cannot ${what}.`,
    hint: 'Its checkpoints remain usable in agentgym.',
  });
}

function checkedExport(owner: PluginOwner, work: () => Awaitable<ExportedModel>): Promise<ExportedModel> {
  return callPlugin(owner, 'export', async () =>
    checkShape(await work(), { architecture: 'string', parameters: 'number' }, 'the result of the export'),
  );
}

function undeclaredTools(located: PluginOwner): AgentgymError {
  return new AgentgymError('AG_PLUGIN_FAILED', {
    message: `The world of the ${ownerTitle(located)} has tools, which its contribution does not declare.`,
    hint: 'Its author sets `tools: true` in the contribution.',
  });
}
