import type { AlgorithmModule } from './algorithm.js';
import type { CurriculumModule } from './curriculum.js';
import type { EnvironmentNeeds } from './environment.js';
import type { EnvironmentModule } from './environment-module.js';
import type { OptionalFact } from './facts.js';
import type { FormatModule } from './format.js';
import type { Host } from './host.js';
import type { GroupedOptions, OptionFinding, OptionsDeclaration, OptionsOf } from './options.js';
import type { PlayerModule } from './player.js';
import type { PolicyModule } from './policy.js';
import type { Requirement } from './requirement.js';
import type { RewardModule } from './reward.js';
import type { SamplerModule } from './sampler.js';
import type { ToolModule } from './tool.js';

/** The host checks this before it runs any code of a plugin: `agentgym.apiVersion` in its package.json. */
export type PluginApiVersion = 1;

/** What a plugin can contribute; names are unique within a kind. */
export type ContributionKind =
  | 'environment'
  | 'reward'
  | 'policy'
  | 'algorithm'
  | 'format'
  | 'tool'
  | 'player'
  | 'sampler'
  | 'curriculum';

interface ContributionBase<Kind extends ContributionKind, Declaration extends GroupedOptions, Module> {
  readonly kind: Kind;
  /** Unique within its kind; lower case, words joined by hyphens. */
  readonly name: string;
  /** One sentence without a full stop, for lists. */
  readonly summary: string;
  readonly options: Declaration;
  /** Imports the implementation. Nothing heavy may be imported before. */
  load(): Promise<Module>;
  /** Findings that a declaration cannot express, such as `low` above `high`. */
  readonly validate?: (options: OptionsOf<Declaration>) => readonly OptionFinding[];
  /** Lines for `agentgym doctor`: what was found, what is missing, and how to get it. */
  diagnose?(host: Host, settings?: DiagnosisSettings): Promise<readonly Diagnosis[]>;
  /** What `agentgym doctor --fix NAME` can install, by lower-case name. `diagnose` names it in a hint. */
  readonly remedies?: { readonly [name: string]: Remedy };
}

/** Something that a contribution can use and does not bring: a library, a driver, a data set. */
export interface Remedy {
  /** One sentence without a full stop, for lists. */
  readonly summary: string;
  /**
   * What `apply` will do on this machine, line by line: what it downloads and how much, and where it puts it. The user is
   * asked before it is done. Empty if it is there and works. Throws if this machine lacks what it needs, and says how to get that.
   */
  plan(host: Host): Promise<readonly string[]>;
  /**
   * Does it, in `host.cacheDirectory`. It ends when `host.signal` aborts, and leaves nothing half-done.
   * @param tell shows a line, for each step
   */
  apply(host: Host, tell: (line: string) => void): Promise<void>;
}

/** How thorough a diagnosis is. */
export interface DiagnosisSettings {
  /** Leave out what takes seconds, such as a measurement of speed. Default: false. */
  readonly quick?: boolean;
}

/** A line of `agentgym doctor`. */
export interface Diagnosis {
  readonly level: 'ok' | 'note' | 'problem';
  readonly message: string;
  /** How to fix it. */
  readonly hint?: string;
}

/**
 * An environment, and the facts that the host knows before loading it. Its options may name groups, like those of an
 * algorithm.
 */
export interface EnvironmentContribution<D extends GroupedOptions = OptionsDeclaration> extends ContributionBase<
  'environment',
  D,
  EnvironmentModule<OptionsOf<D>>
> {
  /**
   * Facts that steps report in addition to `success` and `invalid`, and `references` if `about` tells right answers. A
   * reward that needs another fact is refused for this environment. Absent: no other facts.
   */
  readonly facts?: readonly OptionalFact[];
  /** Its worlds may bring `tools`. Absent: they must not, and recipes without `tools` need no settings for calls. */
  readonly tools?: boolean;
  /** Defaults for playing it. Absent: on the main thread, without limits. */
  readonly play?: EnvironmentNeeds;
  /**
   * What it needs besides npm packages, with these options. Before a run, agentgym says what is missing and how to get it; a
   * run notes what it found, and is not resumed with anything else. Absent: nothing.
   */
  readonly requires?: (options: OptionsOf<D>) => readonly Requirement[];
}

/** A reward scheme or a judge, and the facts that it needs. */
export interface RewardContribution<D extends OptionsDeclaration = OptionsDeclaration> extends ContributionBase<
  'reward',
  D,
  RewardModule<OptionsOf<D>>
> {
  /** It pays for nothing but calls of tools. In a recipe without tools it is refused. */
  readonly needsTools?: boolean;
  /** Facts that it needs to pay anything. */
  readonly needs?: readonly OptionalFact[];
  /**
   * Its judgements depend on more than the episodes: a model behind a server, the clock. Runs with it are not exactly
   * repeatable, and their manifests record this.
   */
  readonly external?: boolean;
  /**
   * Options that only set a price for calls of tools. In a recipe without `tools` they have no effect and are refused.
   */
  readonly toolOptions?: readonly (keyof D & string)[];
}
/** An optimizer of a policy. */
export interface OptimizerDeclaration {
  /** Its name in a stage's `optimizer.name`. */
  readonly name: string;
  /** One sentence without a full stop, for lists. */
  readonly summary: string;
  /** Its constants: `optimizer.options`. The policy fills in the defaults. */
  readonly options: OptionsDeclaration;
  /** Findings that a declaration cannot express. */
  readonly validate?: (options: { readonly [name: string]: unknown }) => readonly OptionFinding[];
}

/** A policy model, and its sources. */
export interface PolicyContribution<D extends OptionsDeclaration = OptionsDeclaration> extends ContributionBase<
  'policy',
  D,
  PolicyModule<OptionsOf<D>>
> {
  /** Models that can be built from scratch. */
  readonly presets: readonly { readonly name: string; readonly summary: string }[];
  /** Its optimizers. A model may have fewer: `PolicyCapabilities.optimizers`. */
  readonly optimizers: readonly OptimizerDeclaration[];
  /**
   * Options that matter only for a model built from scratch. Together with `policy.from` they have no effect and are
   * refused.
   */
  readonly scratchOptions?: readonly (keyof D & string)[];
  /**
   * It samples or learns on a server, which may cost something: `agentgym train --check` tries no steps of it. Default:
   * false.
   */
  readonly external?: boolean;
  /** Its module has `openEncoder`, which other policies get through their host. Default: false. */
  readonly opensEncoders?: boolean;
}
/**
 * An algorithm. After creation, `roles` lists its other needs. Its options may name groups that algorithms share; the
 * host replaces each group with its options.
 */
export type AlgorithmContribution<D extends GroupedOptions = OptionsDeclaration> = ContributionBase<
  'algorithm',
  D,
  AlgorithmModule<OptionsOf<D>>
>;
/** An action format. */
export type FormatContribution<D extends OptionsDeclaration = OptionsDeclaration> = ContributionBase<
  'format',
  D,
  FormatModule<OptionsOf<D>>
>;

/** Something that an agent can call besides the environment. */
export interface ToolContribution<D extends OptionsDeclaration = OptionsDeclaration> extends ContributionBase<
  'tool',
  D,
  ToolModule<OptionsOf<D>>
> {
  /**
   * Its answers depend on more than the call: a search server, the clock. Runs with it are not exactly repeatable, and
   * their manifests record this.
   */
  readonly external?: boolean;
}

/** A text model that plays and cannot be trained: `agentgym evaluate NAME:ADDRESS`. */
export type PlayerContribution<D extends OptionsDeclaration = OptionsDeclaration> = ContributionBase<
  'player',
  D,
  PlayerModule<OptionsOf<D>>
>;

/** What samples the training episodes of a policy that learns elsewhere: `policy.sampler` of a recipe. */
export type SamplerContribution<D extends OptionsDeclaration = OptionsDeclaration> = ContributionBase<
  'sampler',
  D,
  SamplerModule<OptionsOf<D>>
>;

/** What hands out training tasks: `curriculum` of a recipe or of a stage. */
export type CurriculumContribution<D extends OptionsDeclaration = OptionsDeclaration> = ContributionBase<
  'curriculum',
  D,
  CurriculumModule<OptionsOf<D>>
>;

/**
 * The default export of a plugin's entry is a list of contributions. Write each with `satisfies`, so that its options
 * keep their types.
 *
 * @example
 * ```ts
 * // index.ts
 * import type { EnvironmentContribution } from '@agentgym/cli';
 * import { options } from './options.js';
 *
 * export default [
 *   {
 *     kind: 'environment',
 *     name: 'die',
 *     summary: 'Guess the side of a die',
 *     options,
 *     load: () => import('./die.js'),
 *   } satisfies EnvironmentContribution<typeof options>,
 * ];
 * ```
 */
export type Contribution =
  | EnvironmentContribution
  | RewardContribution
  | PolicyContribution
  | AlgorithmContribution
  | FormatContribution
  | ToolContribution
  | PlayerContribution
  | SamplerContribution
  | CurriculumContribution;
