// The contracts as first published with apiVersion 1. Never edited.
/* oxlint-disable */
import type { Readable } from 'node:stream';
import * as v from 'valibot';
import type { Writable } from 'node:stream';
export declare interface ActionFormat {
  readonly instructions: string;
  parse(text: string): ParsedAction;
  render(action: string): string;
}
export declare interface ActionTokens {
  readonly indices: readonly number[];
  readonly turnEnds: readonly number[];
}
export declare interface AdvantageEstimate {
  readonly advantages: Float64Array;
  readonly returns: Float64Array;
}
export declare interface Advantages {
  readonly advantages: Float64Array;
  readonly returns?: Float64Array;
  readonly klCoefficient?: number;
  readonly state: JsonObject;
  readonly metrics?: {
    readonly [name: string]: number;
  };
}
export declare interface Algorithm {
  readonly roles: readonly AlgorithmRole[];
  readonly critic?: CriticPlan;
  readonly initialState: {
    readonly [key: string]: Json;
  };
  readonly discount?: {
    readonly turn: number;
    readonly token: number;
  };
  select?(group: readonly CompletedEpisode[]): readonly (readonly CompletedEpisode[])[];
  readonly pairs?: boolean;
  readonly claims?: readonly AlgorithmClaim[];
  readonly refillRounds?: number;
  advantages(batch: TrainingBatch, state: JsonObject): Advantages;
  weights(minibatch: TrainingBatch): Float64Array;
  loss(ops: LossOperations, inputs: LossInputs): Loss;
}
export declare type AlgorithmClaim = 'unbiased' | 'groups-apart';
export declare type AlgorithmContribution<D extends OptionsDeclaration = OptionsDeclaration> = ContributionBase<
  'algorithm',
  D,
  AlgorithmModule<OptionsOf<D>>
>;
export declare interface AlgorithmFinding extends OptionFinding {
  readonly setting?: keyof UpdateSettings;
}
export declare interface AlgorithmHost extends Host {
  readonly credit: CreditTools;
}
export declare interface AlgorithmModule<Options> {
  readonly create: (options: Options, host: AlgorithmHost) => Awaitable<Algorithm>;
  readonly validate?: (options: Options, settings: UpdateSettings, checks: OptionChecks) => readonly AlgorithmFinding[];
}
export declare type AlgorithmRole = 'reference' | 'greedy';
export declare type Awaitable<T> = T | PromiseLike<T>;
export declare interface BooleanOption extends OptionCommon {
  readonly type: 'boolean';
  readonly default: boolean;
}
export declare interface BoundsContext {
  readonly horizon: number;
  readonly milestones?: number;
  readonly actionTokens?: number;
  readonly tools?: boolean;
  readonly discount?: number;
}
export declare interface Call {
  readonly signal: AbortSignal;
}
declare type Change<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? {
        [Key in keyof T]?: Change<T[Key]> | null;
      }
    : T;
export declare interface ChildProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: string | null;
  }>;
  kill(signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void;
}
export declare interface ChoiceOption extends OptionCommon {
  readonly type: 'choice';
  readonly choices: readonly string[];
  readonly default: string;
}
export declare interface ClipOptions {
  readonly ratio?: LossExpression;
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly dualClip?: number | null;
  readonly ratioCap?: number | null;
}
export declare interface ClippedObjective {
  readonly objective: LossExpression;
  readonly metrics: {
    readonly [name: string]: LossExpression;
  };
}
export declare interface CompletedEpisode extends EpisodeKey {
  readonly status: 'completed';
  readonly instructions?: string;
  readonly turns: readonly Turn[];
  readonly finalObservation: string;
  readonly finalObservationCharacters?: number;
  readonly terminated: boolean;
  readonly truncated?: TruncationCause;
  readonly success: boolean;
  readonly return: number;
  readonly record?: TokenRecord;
  readonly retries: number;
}
export declare type Conclusion = Pick<StepResult, 'reward' | 'facts'>;
export declare type Contribution =
  | EnvironmentContribution
  | RewardContribution
  | PolicyContribution
  | AlgorithmContribution
  | FormatContribution
  | ToolContribution;
declare interface ContributionBase<Kind extends ContributionKind, Declaration extends OptionsDeclaration, Module> {
  readonly kind: Kind;
  readonly name: string;
  readonly summary: string;
  readonly options: Declaration;
  load(): Promise<Module>;
  readonly validate?: (options: OptionsOf<Declaration>) => readonly OptionFinding[];
  diagnose?(host: Host): Promise<readonly Diagnosis[]>;
}
export declare type ContributionKind = 'environment' | 'reward' | 'policy' | 'algorithm' | 'format' | 'tool';
export declare interface ConversationEncoder {
  begin(system: string, observation: string): readonly number[];
  append(observation: string): readonly number[];
  encodeAction(text: string): readonly number[];
  readonly endIds: readonly number[];
  decode(ids: readonly number[]): string;
  piece(id: number): string;
}
export declare interface CreditTools {
  actionTokens(batch: TrainingBatch, row: number): ActionTokens;
  turnTokens(batch: TrainingBatch, row: number): readonly (readonly number[])[];
  episodeReturns(batch: TrainingBatch): Float64Array;
  groupRows(batch: TrainingBatch): readonly (readonly number[])[];
  spreadOverTokens(batch: TrainingBatch, perRow: Float64Array): Float64Array;
  aggregationWeights(
    batch: TrainingBatch,
    aggregation: LossAggregation,
    constantLength?: number,
    countEmpty?: boolean,
  ): Float64Array;
  meanAndDeviation(
    values: readonly number[],
    noSignalBelow?: number,
  ): {
    readonly mean: number;
    readonly deviation: number;
  };
  klExpression(ops: LossOperations, inputs: LossInputs, estimator: KlEstimator): LossExpression;
  returnsToGo(batch: TrainingBatch, discounts: Discounts, bootstrap?: boolean): Float64Array;
  generalizedAdvantages(batch: TrainingBatch, options: GeneralizedAdvantageOptions): AdvantageEstimate;
  whitenTokens(batch: TrainingBatch, values: Float64Array, options?: WhiteningOptions): Float64Array;
  whitenTurns(batch: TrainingBatch, values: Float64Array, options?: WhiteningOptions): Float64Array;
  leaveOneOut(values: readonly number[], noSignalBelow?: number): readonly number[];
  groupMembers(batch: TrainingBatch, comparison: GroupComparison): readonly (readonly GroupMember[])[];
  comparedValues(
    group: readonly CompletedEpisode[],
    comparison: GroupComparison,
    charge?: (episode: CompletedEpisode) => number,
  ): readonly (readonly number[])[];
  groupNormalized(batch: TrainingBatch, options: GroupNormalization): Float64Array;
  klControl(options: KlOptions): KlControl;
  clippedObjective(ops: LossOperations, inputs: LossInputs, options: ClipOptions): ClippedObjective;
}
export declare interface CriticPlan {
  readonly trunk: 'shared' | 'own';
  readonly learningRate: number | null;
  readonly warmup: number;
  loss(ops: LossOperations, inputs: LossInputs): Loss;
}
export declare function defineRecipe<Definition extends RecipeDefinition>(recipe: Definition): Definition;
export declare type DeviationKind = 'sample' | 'population';
export declare interface Diagnosis {
  readonly level: 'ok' | 'note' | 'problem';
  readonly message: string;
  readonly hint?: string;
}
export declare interface Discounts {
  readonly token: number;
  readonly turn: number;
}
export declare interface Draw extends Call {
  readonly random: Random;
}
export declare interface Environment {
  reset(task: string, call: Draw): Awaitable<string | Start>;
  step(action: string, call: Call): Awaitable<StepResult>;
  act(player: string, call: Draw): Awaitable<string>;
  conclude?(cause: 'horizon' | 'tokens', call: Call): Awaitable<Conclusion>;
  admissible?(): Awaitable<readonly string[]>;
  stateKey?(): Awaitable<string>;
  snapshot?(): Awaitable<Json>;
  restore?(state: Json): Awaitable<void>;
  dispose?(): Awaitable<void>;
}
export declare interface EnvironmentContribution<
  D extends OptionsDeclaration = OptionsDeclaration,
> extends ContributionBase<'environment', D, EnvironmentModule<OptionsOf<D>>> {
  readonly facts?: readonly OptionalFact[];
  readonly progressFalls?: boolean;
  readonly play?: EnvironmentNeeds;
}
export declare interface EnvironmentHost extends Omit<Host, 'random'> {
  spawn(command: string, args?: readonly string[], options?: SpawnOptions): Promise<ChildProcess>;
}
export declare interface EnvironmentModule<Options> {
  readonly open: (options: Options, host: EnvironmentHost) => Awaitable<World>;
}
export declare interface EnvironmentNeeds {
  readonly thread?: 'main' | 'worker';
  readonly instances?: number;
  readonly observationCharacters?: number;
  readonly seconds?: {
    readonly [phase in EnvironmentPhase]?: number;
  };
}
export declare type EnvironmentPhase = 'open' | 'create' | 'reset' | 'step' | 'act' | 'conclude' | 'dispose' | 'close';
export declare type Episode = CompletedEpisode | FailedEpisode;
export declare interface EpisodeKey {
  readonly iteration: number;
  readonly task: string;
  readonly group: number;
  readonly member: number;
}
export declare interface EvaluationSummary {
  readonly split: SplitName;
  readonly environment?: string;
  readonly temperature: number;
  readonly success: Interval & {
    readonly rate: number;
    readonly episodes: number;
    readonly method: 'wilson' | 'cluster-bootstrap';
  };
  readonly return: Interval & {
    readonly mean: number;
  };
  readonly turns: Interval & {
    readonly mean: number;
  };
  readonly truncated: number;
  readonly invalid: number;
  readonly failed: number;
  readonly attempts?: {
    readonly k: number;
    readonly avg: number;
    readonly pass: number;
  };
}
export declare interface Facts {
  readonly success: boolean;
  readonly progress?: number;
  readonly milestones?: {
    readonly reached: number;
    readonly total: number;
  };
  readonly invalid: boolean;
  readonly details?: {
    readonly [key: string]: Json;
  };
}
export declare interface FailedEpisode extends EpisodeKey {
  readonly status: 'failed';
  readonly failure: {
    readonly phase: 'reset' | 'step' | 'conclude' | 'player' | 'tool' | 'deadline';
    readonly message: string;
  };
  readonly turns: readonly Turn[];
  readonly retries: number;
}
export declare type FormatContribution<D extends OptionsDeclaration = OptionsDeclaration> = ContributionBase<
  'format',
  D,
  FormatModule<OptionsOf<D>>
>;
export declare interface FormatModule<Options> {
  readonly create: (options: Options, host: Host) => ActionFormat;
}
export declare interface ForwardBackwardResult {
  readonly logprobs: Float64Array;
  readonly entropy: Float64Array;
  readonly values?: Float64Array;
  readonly terms: {
    readonly [name: string]: number;
  };
  readonly metrics: {
    readonly [name: string]: number;
  };
}
export declare interface GeneralizedAdvantageOptions extends Discounts {
  readonly lambda: number;
  readonly level: 'token' | 'turn';
  readonly bootstrap: boolean;
}
export declare interface GeneratedTokens {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly ended: boolean;
}
export declare interface GenerateRequest {
  readonly tokens: readonly number[];
  readonly sequence: string;
  readonly endIds: readonly number[];
  readonly maxTokens: number;
  readonly draws: Float64Array;
}
export declare interface GroupComparison {
  readonly level: 'episode' | 'turn';
  readonly turnDiscount: number;
}
export declare interface GroupMember {
  readonly row: number;
  readonly value: number;
  readonly tokens: readonly number[];
}
export declare interface GroupNormalization extends GroupComparison {
  readonly scaling: 'group' | 'batch' | 'none';
  readonly deviationEpsilon: number;
  readonly noSignalBelow: number;
}
export declare interface Host {
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly cacheDirectory: string;
}
export declare interface IntegerOption extends OptionCommon {
  readonly type: 'integer';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default: number | null;
}
export declare interface IntegersOption extends OptionCommon {
  readonly type: 'integers';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly length?: number;
  readonly default: readonly number[];
}
export declare interface Interval {
  readonly low: number;
  readonly high: number;
}
export declare interface Journal {
  metrics(line: MetricsLine): Awaitable<void>;
  episodes(stage: string, step: number, episodes: readonly Episode[]): Awaitable<void>;
  checkpoint(stage: string, step: number, progress: JsonObject, force: boolean): Awaitable<void>;
  event(event: RunEvent): void;
}
export declare type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | {
      readonly [key: string]: Json;
    };
export declare type JsonObject = {
  readonly [key: string]: Json;
};
export declare interface KlControl {
  readonly roles: readonly 'reference'[];
  readonly initialState: JsonObject;
  take(
    batch: TrainingBatch,
    state: JsonObject,
  ): {
    readonly batch: TrainingBatch;
    readonly state: JsonObject;
    readonly klCoefficient?: number;
    readonly metrics: {
      readonly [name: string]: number;
    };
  };
  terms(
    ops: LossOperations,
    inputs: LossInputs,
  ): {
    readonly [name: string]: LossExpression;
  };
}
export declare type KlEstimator = 'k1' | 'abs' | 'k2' | 'k3' | 'k3-straight-through';
export declare interface KlOptions {
  readonly klCoefficient: number;
  readonly klIn: 'loss' | 'reward';
  readonly klEstimator: KlEstimator;
  readonly klTarget: number | null;
  readonly klHorizon: number;
}
export declare type LiveName = 'logprob' | 'entropy' | 'value';
export declare interface Log {
  info(message: string): void;
  warn(message: string): void;
}
export declare interface Loss {
  readonly terms: {
    readonly [name: string]: LossExpression;
  };
  readonly metrics?: {
    readonly [name: string]: LossExpression;
  };
}
export declare type LossAggregation =
  | 'token-mean'
  | 'sequence-mean-token-sum'
  | 'sequence-mean-token-mean'
  | 'constant-length';
export declare type LossExpression =
  | {
      readonly op: 'constant';
      readonly value: number;
    }
  | {
      readonly op: 'batch';
      readonly name: LossInputName;
    }
  | {
      readonly op: 'live';
      readonly name: LiveName;
    }
  | {
      readonly op: 'exp' | 'log' | 'logsigmoid' | 'stopGradient' | 'sequenceSum' | 'sequenceMean' | 'pairDifference';
      readonly of: LossExpression;
    }
  | {
      readonly op: 'add' | 'sub' | 'mul' | 'div' | 'min' | 'max' | 'greater';
      readonly left: LossExpression;
      readonly right: LossExpression;
    }
  | {
      readonly op: 'where';
      readonly condition: LossExpression;
      readonly then: LossExpression;
      readonly otherwise: LossExpression;
    };
export declare type LossInputName =
  | 'logprobs'
  | 'referenceLogprobs'
  | 'values'
  | 'advantages'
  | 'returns'
  | 'rewards'
  | 'klCoefficient'
  | 'truncated';
export declare type LossInputs = {
  readonly [Name in LossInputName | LiveName]: LossExpression;
};
export declare interface LossOperations {
  constant(value: number): LossExpression;
  add(left: LossExpression, right: LossExpression): LossExpression;
  sub(left: LossExpression, right: LossExpression): LossExpression;
  mul(left: LossExpression, right: LossExpression): LossExpression;
  div(left: LossExpression, right: LossExpression): LossExpression;
  min(left: LossExpression, right: LossExpression): LossExpression;
  max(left: LossExpression, right: LossExpression): LossExpression;
  greater(left: LossExpression, right: LossExpression): LossExpression;
  clip(of: LossExpression, low: number, high: number): LossExpression;
  where(condition: LossExpression, then: LossExpression, otherwise: LossExpression): LossExpression;
  exp(of: LossExpression): LossExpression;
  log(of: LossExpression): LossExpression;
  logsigmoid(of: LossExpression): LossExpression;
  stopGradient(of: LossExpression): LossExpression;
  sequenceSum(of: LossExpression): LossExpression;
  sequenceMean(of: LossExpression): LossExpression;
  pairDifference(of: LossExpression): LossExpression;
}
export declare interface MetricsLine {
  readonly stage: string;
  readonly step: number;
  readonly metrics: {
    readonly [name: string]: number;
  };
}
declare type Nullable<
  Declaration extends {
    readonly default: unknown;
  },
  Value,
> = null extends Declaration['default'] ? Value | null : Value;
export declare interface NumberOption extends OptionCommon {
  readonly type: 'number';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly default: number | null;
}
export declare interface OptimizerSettings {
  readonly name: string;
  readonly options: {
    readonly [name: string]: Json;
  };
}
export declare interface OptimizerStep {
  readonly learningRate: number;
  readonly clipNorm?: number;
}
export declare interface OptimizerStepResult {
  readonly gradientNorm: number;
  readonly applied: boolean;
}
export declare type OptionalFact = 'progress' | 'milestones';
export declare interface OptionChecks {
  idle(option: string, beside: string, hint: string): AlgorithmFinding;
  groupOfOne(settings: UpdateSettings): readonly AlgorithmFinding[];
  clips(
    options: {
      readonly [name: string]: unknown;
    },
    names: readonly string[],
    settings: UpdateSettings,
  ): readonly AlgorithmFinding[];
  kl(options: KlOptions): readonly AlgorithmFinding[];
  aggregation(options: {
    readonly aggregation: LossAggregation;
    readonly constantLength: number | null;
  }): readonly AlgorithmFinding[];
}
declare interface OptionCommon {
  readonly description: string;
  readonly axis?: boolean;
  readonly levels?: readonly Json[];
}
export declare type OptionDeclaration =
  | BooleanOption
  | IntegerOption
  | NumberOption
  | StringOption
  | ChoiceOption
  | IntegersOption
  | StringsOption;
export declare interface OptionFinding {
  readonly path: readonly string[];
  readonly message: string;
  readonly hint: string;
  readonly idle?: boolean;
}
export declare type OptionsDeclaration = {
  readonly [name: string]: OptionDeclaration;
};
export declare type OptionsOf<D extends OptionsDeclaration> = {
  readonly [Name in keyof D]: OptionValue<D[Name]>;
};
declare type OptionValue<D extends OptionDeclaration> = D extends BooleanOption
  ? boolean
  : D extends IntegerOption | NumberOption
    ? Nullable<D, number>
    : D extends ChoiceOption
      ? D['choices'][number]
      : D extends StringOption
        ? Nullable<D, string>
        : D extends IntegersOption
          ? readonly number[]
          : D extends StringsOption
            ? readonly string[]
            : never;
export declare type ParsedAction =
  | {
      readonly action: string;
    }
  | {
      readonly malformed: string;
      readonly observation: string;
    };
export declare interface Player {
  readonly name: string;
  act(turn: PlayerTurn, signal: AbortSignal): Awaitable<string>;
}
export declare interface PlayerTurn {
  readonly system: string;
  readonly observations: readonly string[];
  readonly texts: readonly string[];
  readonly random: Random;
}
export declare type PluginApiVersion = 1;
export declare interface PolicyCapabilities {
  readonly live: readonly LiveName[];
  readonly missingOperations: readonly string[];
  readonly freeze: boolean;
  readonly optimizers: readonly string[];
  readonly maxTokens: number;
  readonly sampler: SamplerPromises;
}
export declare interface PolicyContext {
  corpus(): AsyncIterable<string>;
  readonly preset?: string;
  readonly from?: string;
  readonly valueHead: boolean;
  readonly maxTokens?: number;
}
export declare interface PolicyContribution<D extends OptionsDeclaration = OptionsDeclaration> extends ContributionBase<
  'policy',
  D,
  PolicyModule<OptionsOf<D>>
> {
  readonly presets: readonly {
    readonly name: string;
    readonly summary: string;
  }[];
  readonly scratchOptions?: readonly (keyof D & string)[];
}
export declare interface PolicyModel {
  readonly capabilities: PolicyCapabilities;
  readonly encoder: ConversationEncoder;
  readonly policyVersion: number;
  generate(requests: readonly GenerateRequest[], sampling: Sampling, signal?: AbortSignal): Promise<GeneratedTokens[]>;
  release(sequences: readonly string[]): void;
  forwardBackward(batch: TrainingBatch, loss: Loss): Promise<ForwardBackwardResult>;
  optimizerStep(step: OptimizerStep): Promise<OptimizerStepResult>;
  resetOptimizer(settings: OptimizerSettings): Promise<void>;
  logprobs(batch: TrainingBatch): Promise<Float64Array>;
  values?(batch: TrainingBatch): Promise<Float64Array>;
  freeze(): Promise<ReferenceModel>;
  takeOperations?(): number;
  save(directory: string): Promise<void>;
  load(directory: string): Promise<void>;
  describe(): JsonObject;
  dispose(): Promise<void>;
}
export declare interface PolicyModule<Options> {
  readonly create: (options: Options, host: Host, context: PolicyContext) => Awaitable<PolicyModel>;
}
export declare interface Random {
  uniform(): number;
  integer(low: number, high: number): number;
  normal(): number;
  choice<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
  stream(...path: readonly (string | number)[]): Random;
}
export declare type Recipe = Omit<v.InferOutput<typeof recipeSchema>, 'extends'>;
export declare type RecipeDefinition =
  | RecipeInput
  | (Change<Omit<RecipeInput, 'extends'>> & {
      extends: string;
    });
declare type RecipeInput = v.InferInput<typeof recipeSchema>;
declare const recipeSchema: v.StrictObjectSchema<
  {
    readonly recipeVersion: v.SchemaWithPipe<
      readonly [v.LiteralSchema<1, undefined>, v.DescriptionAction<1, 'Version of this format'>]
    >;
    readonly name: v.OptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StringSchema<undefined>,
          v.RegexAction<string, 'a name must be words of letters and digits, joined by hyphens'>,
          v.DescriptionAction<
            string,
            "Name of the recipe; the run's folder begins with it. Default: the name of the file"
          >,
        ]
      >,
      'unnamed'
    >;
    readonly description: v.ExactOptionalSchema<
      v.SchemaWithPipe<
        readonly [v.StringSchema<undefined>, v.NonEmptyAction<string, undefined>, v.DescriptionAction<string, string>]
      >,
      undefined
    >;
    readonly extends: v.ExactOptionalSchema<
      v.SchemaWithPipe<
        readonly [v.StringSchema<undefined>, v.NonEmptyAction<string, undefined>, v.DescriptionAction<string, string>]
      >,
      undefined
    >;
    readonly plugins: v.ExactOptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.RecordSchema<
            v.SchemaWithPipe<readonly [v.StringSchema<undefined>, v.NonEmptyAction<string, undefined>]>,
            v.SchemaWithPipe<
              readonly [
                v.StringSchema<undefined>,
                v.CheckAction<string, 'it must be a version or a range such as ^1.2.0'>,
                v.DescriptionAction<string, 'Version, or range of versions'>,
              ]
            >,
            undefined
          >,
          v.DescriptionAction<
            {
              [x: string]: string;
            },
            'Required packages, by name, with their versions, such as `^1.2.0`; checked before anything runs, even if the recipe uses nothing of them'
          >,
        ]
      >,
      undefined
    >;
    readonly seed: v.OptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.NumberSchema<undefined>,
          v.SafeIntegerAction<number, undefined>,
          v.MinValueAction<number, number, undefined>,
          v.DescriptionAction<number, string>,
        ]
      >,
      1
    >;
    readonly exact: v.ExactOptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.BooleanSchema<undefined>,
          v.DescriptionAction<
            boolean,
            '`true` refuses whatever would make another run of the recipe differ: worlds and tools that are external, samplers that promise too little; absent: such a run is marked inexact'
          >,
        ]
      >,
      undefined
    >;
    readonly environment: v.SchemaWithPipe<
      readonly [
        v.StrictObjectSchema<
          {
            readonly name: v.SchemaWithPipe<
              readonly [
                v.StringSchema<undefined>,
                v.NonEmptyAction<string, undefined>,
                v.DescriptionAction<string, string>,
              ]
            >;
            readonly options: v.OptionalSchema<
              v.SchemaWithPipe<
                readonly [
                  v.RecordSchema<v.StringSchema<undefined>, v.GenericSchema<Json>, undefined>,
                  v.DescriptionAction<
                    {
                      [x: string]: Json;
                    },
                    `Options of the ${string}; \`agentgym describe ${string} NAME\` shows them`
                  >,
                ]
              >,
              {}
            >;
            readonly thread: v.ExactOptionalSchema<
              v.SchemaWithPipe<
                readonly [
                  v.PicklistSchema<['main', 'worker'], undefined>,
                  v.DescriptionAction<
                    'main' | 'worker',
                    'Thread of the environment. In a `worker` thread a hanging call harms no other episode. Default: as the environment says'
                  >,
                ]
              >,
              undefined
            >;
            readonly workers: v.ExactOptionalSchema<
              v.SchemaWithPipe<
                readonly [
                  v.NumberSchema<undefined>,
                  v.SafeIntegerAction<number, undefined>,
                  v.MinValueAction<number, number, undefined>,
                  v.DescriptionAction<number, string>,
                ]
              >,
              undefined
            >;
            readonly instances: v.ExactOptionalSchema<
              v.SchemaWithPipe<
                readonly [
                  v.NumberSchema<undefined>,
                  v.SafeIntegerAction<number, undefined>,
                  v.MinValueAction<number, number, undefined>,
                  v.DescriptionAction<number, string>,
                ]
              >,
              undefined
            >;
            readonly observationCharacters: v.ExactOptionalSchema<
              v.SchemaWithPipe<
                readonly [
                  v.NumberSchema<undefined>,
                  v.SafeIntegerAction<number, undefined>,
                  v.MinValueAction<number, number, undefined>,
                  v.DescriptionAction<number, string>,
                ]
              >,
              undefined
            >;
            readonly seconds: v.ExactOptionalSchema<
              v.SchemaWithPipe<
                readonly [
                  v.StrictObjectSchema<
                    {
                      readonly open: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.SchemaWithPipe<
                              readonly [
                                v.NumberSchema<undefined>,
                                v.FiniteAction<number, undefined>,
                                v.MinValueAction<number, number, undefined>,
                                v.DescriptionAction<number, string>,
                              ]
                            >,
                            v.GtValueAction<number, 0, undefined>,
                          ]
                        >,
                        undefined
                      >;
                      readonly create: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.SchemaWithPipe<
                              readonly [
                                v.NumberSchema<undefined>,
                                v.FiniteAction<number, undefined>,
                                v.MinValueAction<number, number, undefined>,
                                v.DescriptionAction<number, string>,
                              ]
                            >,
                            v.GtValueAction<number, 0, undefined>,
                          ]
                        >,
                        undefined
                      >;
                      readonly reset: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.SchemaWithPipe<
                              readonly [
                                v.NumberSchema<undefined>,
                                v.FiniteAction<number, undefined>,
                                v.MinValueAction<number, number, undefined>,
                                v.DescriptionAction<number, string>,
                              ]
                            >,
                            v.GtValueAction<number, 0, undefined>,
                          ]
                        >,
                        undefined
                      >;
                      readonly step: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.SchemaWithPipe<
                              readonly [
                                v.NumberSchema<undefined>,
                                v.FiniteAction<number, undefined>,
                                v.MinValueAction<number, number, undefined>,
                                v.DescriptionAction<number, string>,
                              ]
                            >,
                            v.GtValueAction<number, 0, undefined>,
                          ]
                        >,
                        undefined
                      >;
                      readonly act: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.SchemaWithPipe<
                              readonly [
                                v.NumberSchema<undefined>,
                                v.FiniteAction<number, undefined>,
                                v.MinValueAction<number, number, undefined>,
                                v.DescriptionAction<number, string>,
                              ]
                            >,
                            v.GtValueAction<number, 0, undefined>,
                          ]
                        >,
                        undefined
                      >;
                      readonly conclude: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.SchemaWithPipe<
                              readonly [
                                v.NumberSchema<undefined>,
                                v.FiniteAction<number, undefined>,
                                v.MinValueAction<number, number, undefined>,
                                v.DescriptionAction<number, string>,
                              ]
                            >,
                            v.GtValueAction<number, 0, undefined>,
                          ]
                        >,
                        undefined
                      >;
                      readonly dispose: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.SchemaWithPipe<
                              readonly [
                                v.NumberSchema<undefined>,
                                v.FiniteAction<number, undefined>,
                                v.MinValueAction<number, number, undefined>,
                                v.DescriptionAction<number, string>,
                              ]
                            >,
                            v.GtValueAction<number, 0, undefined>,
                          ]
                        >,
                        undefined
                      >;
                      readonly close: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.SchemaWithPipe<
                              readonly [
                                v.NumberSchema<undefined>,
                                v.FiniteAction<number, undefined>,
                                v.MinValueAction<number, number, undefined>,
                                v.DescriptionAction<number, string>,
                              ]
                            >,
                            v.GtValueAction<number, 0, undefined>,
                          ]
                        >,
                        undefined
                      >;
                    },
                    undefined
                  >,
                  v.DescriptionAction<
                    {
                      open?: number;
                      create?: number;
                      reset?: number;
                      step?: number;
                      act?: number;
                      conclude?: number;
                      dispose?: number;
                      close?: number;
                    },
                    'Deadlines of its calls; default: `rollout.deadlineSeconds`, or as the environment says'
                  >,
                ]
              >,
              undefined
            >;
          },
          undefined
        >,
        v.DescriptionAction<
          {
            name: string;
            options: {
              [x: string]: Json;
            };
            thread?: 'main' | 'worker';
            workers?: number;
            instances?: number;
            observationCharacters?: number;
            seconds?: {
              open?: number;
              create?: number;
              reset?: number;
              step?: number;
              act?: number;
              conclude?: number;
              dispose?: number;
              close?: number;
            };
          },
          'The environment of the tasks'
        >,
      ]
    >;
    readonly reward: v.OptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StrictObjectSchema<
            {
              readonly terms: v.SchemaWithPipe<
                readonly [
                  v.ArraySchema<
                    v.StrictObjectSchema<
                      {
                        readonly name: v.SchemaWithPipe<
                          readonly [
                            v.StringSchema<undefined>,
                            v.NonEmptyAction<string, undefined>,
                            v.DescriptionAction<string, string>,
                          ]
                        >;
                        readonly weight: v.OptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.NumberSchema<undefined>,
                              v.FiniteAction<number, undefined>,
                              v.DescriptionAction<number, "Factor of the term's numbers">,
                            ]
                          >,
                          1
                        >;
                        readonly options: v.OptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.RecordSchema<v.StringSchema<undefined>, v.GenericSchema<Json>, undefined>,
                              v.DescriptionAction<
                                {
                                  [x: string]: Json;
                                },
                                `Options of the ${string}; \`agentgym describe ${string} NAME\` shows them`
                              >,
                            ]
                          >,
                          {}
                        >;
                      },
                      undefined
                    >,
                    undefined
                  >,
                  v.MinLengthAction<
                    {
                      name: string;
                      weight: number;
                      options: {
                        [x: string]: Json;
                      };
                    }[],
                    1,
                    undefined
                  >,
                  v.DescriptionAction<
                    {
                      name: string;
                      weight: number;
                      options: {
                        [x: string]: Json;
                      };
                    }[],
                    'Reward schemes; their weighted numbers are added up'
                  >,
                ]
              >;
              readonly allowInversion: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.BooleanSchema<undefined>,
                    v.DescriptionAction<
                      boolean,
                      'Accept weights, prices or a discount with which a failure can score above a success'
                    >,
                  ]
                >,
                false
              >;
            },
            undefined
          >,
          v.DescriptionAction<
            {
              terms: {
                name: string;
                weight: number;
                options: {
                  [x: string]: Json;
                };
              }[];
              allowInversion: boolean;
            },
            'The reward'
          >,
        ]
      >,
      {
        readonly terms: readonly [
          {
            readonly name: 'sparse';
          },
        ];
      }
    >;
    readonly format: v.OptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StrictObjectSchema<
            {
              readonly name: v.SchemaWithPipe<
                readonly [
                  v.StringSchema<undefined>,
                  v.NonEmptyAction<string, undefined>,
                  v.DescriptionAction<string, string>,
                ]
              >;
              readonly options: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.RecordSchema<v.StringSchema<undefined>, v.GenericSchema<Json>, undefined>,
                    v.DescriptionAction<
                      {
                        [x: string]: Json;
                      },
                      `Options of the ${string}; \`agentgym describe ${string} NAME\` shows them`
                    >,
                  ]
                >,
                {}
              >;
            },
            undefined
          >,
          v.DescriptionAction<
            {
              name: string;
              options: {
                [x: string]: Json;
              };
            },
            'How the policy writes its actions'
          >,
        ]
      >,
      {
        readonly name: 'plain';
      }
    >;
    readonly tools: v.ExactOptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.ArraySchema<
            v.StrictObjectSchema<
              {
                readonly name: v.SchemaWithPipe<
                  readonly [
                    v.StringSchema<undefined>,
                    v.NonEmptyAction<string, undefined>,
                    v.DescriptionAction<string, string>,
                  ]
                >;
                readonly options: v.OptionalSchema<
                  v.SchemaWithPipe<
                    readonly [
                      v.RecordSchema<v.StringSchema<undefined>, v.GenericSchema<Json>, undefined>,
                      v.DescriptionAction<
                        {
                          [x: string]: Json;
                        },
                        `Options of the ${string}; \`agentgym describe ${string} NAME\` shows them`
                      >,
                    ]
                  >,
                  {}
                >;
              },
              undefined
            >,
            undefined
          >,
          v.MinLengthAction<
            {
              name: string;
              options: {
                [x: string]: Json;
              };
            }[],
            1,
            undefined
          >,
          v.DescriptionAction<
            {
              name: string;
              options: {
                [x: string]: Json;
              };
            }[],
            'Tools that the policy may call instead of acting; the first tool that claims a text gets it. A call is a turn: it counts towards the horizon, the environment is not stepped, and the output is the next observation'
          >,
        ]
      >,
      undefined
    >;
    readonly policy: v.OptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StrictObjectSchema<
            {
              readonly name: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.StringSchema<undefined>,
                    v.NonEmptyAction<string, undefined>,
                    v.DescriptionAction<string, string>,
                  ]
                >,
                'transformer'
              >;
              readonly preset: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.StringSchema<undefined>,
                    v.NonEmptyAction<string, undefined>,
                    v.DescriptionAction<string, string>,
                  ]
                >,
                undefined
              >;
              readonly from: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.StringSchema<undefined>,
                    v.NonEmptyAction<string, undefined>,
                    v.DescriptionAction<string, string>,
                  ]
                >,
                undefined
              >;
              readonly options: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.RecordSchema<v.StringSchema<undefined>, v.GenericSchema<Json>, undefined>,
                    v.DescriptionAction<
                      {
                        [x: string]: Json;
                      },
                      `Options of the ${string}; \`agentgym describe ${string} NAME\` shows them`
                    >,
                  ]
                >,
                {}
              >;
              readonly sampling: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.StrictObjectSchema<
                      {
                        readonly temperature: v.OptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.NumberSchema<undefined>,
                              v.FiniteAction<number, undefined>,
                              v.MinValueAction<number, number, undefined>,
                              v.DescriptionAction<number, string>,
                            ]
                          >,
                          1
                        >;
                        readonly topP: v.OptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.MinValueAction<number, 0, undefined>,
                                  v.MaxValueAction<number, 1, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              v.GtValueAction<number, 0, undefined>,
                            ]
                          >,
                          1
                        >;
                        readonly topK: v.OptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.NumberSchema<undefined>,
                              v.SafeIntegerAction<number, undefined>,
                              v.MinValueAction<number, number, undefined>,
                              v.DescriptionAction<number, string>,
                            ]
                          >,
                          0
                        >;
                        readonly maxActionTokens: v.OptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.NumberSchema<undefined>,
                              v.SafeIntegerAction<number, undefined>,
                              v.MinValueAction<number, number, undefined>,
                              v.DescriptionAction<number, string>,
                            ]
                          >,
                          64
                        >;
                      },
                      undefined
                    >,
                    v.DescriptionAction<
                      {
                        temperature: number;
                        topP: number;
                        topK: number;
                        maxActionTokens: number;
                      },
                      'Sampling of actions'
                    >,
                  ]
                >,
                {}
              >;
            },
            undefined
          >,
          v.DescriptionAction<
            {
              name: string;
              preset?: string;
              from?: string;
              options: {
                [x: string]: Json;
              };
              sampling: {
                temperature: number;
                topP: number;
                topK: number;
                maxActionTokens: number;
              };
            },
            'The model that acts and learns'
          >,
        ]
      >,
      {}
    >;
    readonly algorithm: v.ExactOptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StrictObjectSchema<
            {
              readonly name: v.SchemaWithPipe<
                readonly [
                  v.StringSchema<undefined>,
                  v.NonEmptyAction<string, undefined>,
                  v.DescriptionAction<string, string>,
                ]
              >;
              readonly groupSize: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                8
              >;
              readonly epochs: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                1
              >;
              readonly minibatches: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                1
              >;
              readonly recomputeLogprobs: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.BooleanSchema<undefined>,
                    v.DescriptionAction<
                      boolean,
                      "Use the trainer's log probabilities for the ratio instead of the sampler's, and weight each token for the difference"
                    >,
                  ]
                >,
                false
              >;
              readonly importanceCap: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.SchemaWithPipe<
                      readonly [
                        v.NumberSchema<undefined>,
                        v.FiniteAction<number, undefined>,
                        v.MinValueAction<number, number, undefined>,
                        v.DescriptionAction<number, string>,
                      ]
                    >,
                    v.GtValueAction<number, 0, undefined>,
                  ]
                >,
                undefined
              >;
              readonly options: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.RecordSchema<v.StringSchema<undefined>, v.GenericSchema<Json>, undefined>,
                    v.DescriptionAction<
                      {
                        [x: string]: Json;
                      },
                      `Options of the ${string}; \`agentgym describe ${string} NAME\` shows them`
                    >,
                  ]
                >,
                {}
              >;
            },
            undefined
          >,
          v.DescriptionAction<
            {
              name: string;
              groupSize: number;
              epochs: number;
              minibatches: number;
              recomputeLogprobs: boolean;
              importanceCap?: number;
              options: {
                [x: string]: Json;
              };
            },
            'Algorithm for advantages and loss; needed by rl stages'
          >,
        ]
      >,
      undefined
    >;
    readonly horizon: v.SchemaWithPipe<
      readonly [
        v.VariantSchema<
          'schedule',
          [
            v.StrictObjectSchema<
              {
                readonly schedule: v.SchemaWithPipe<
                  readonly [
                    v.LiteralSchema<'fixed', undefined>,
                    v.DescriptionAction<'fixed', 'One horizon for all steps'>,
                  ]
                >;
                readonly turns: v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >;
              },
              undefined
            >,
            v.StrictObjectSchema<
              {
                readonly schedule: v.SchemaWithPipe<
                  readonly [
                    v.LiteralSchema<'linear', undefined>,
                    v.DescriptionAction<'linear', 'From one horizon to another, linearly'>,
                  ]
                >;
                readonly from: v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >;
                readonly to: v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >;
                readonly over: v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >;
              },
              undefined
            >,
            v.StrictObjectSchema<
              {
                readonly schedule: v.SchemaWithPipe<
                  readonly [
                    v.LiteralSchema<'scaling-inter', undefined>,
                    v.DescriptionAction<'scaling-inter', 'ScalingInter-RL: the next horizon after a number of steps'>,
                  ]
                >;
                readonly turns: v.SchemaWithPipe<
                  readonly [
                    v.ArraySchema<
                      v.SchemaWithPipe<
                        readonly [
                          v.NumberSchema<undefined>,
                          v.SafeIntegerAction<number, undefined>,
                          v.MinValueAction<number, number, undefined>,
                          v.DescriptionAction<number, string>,
                        ]
                      >,
                      undefined
                    >,
                    v.MinLengthAction<number[], 2, 'it needs two horizons or more; use `schedule: fixed` for one'>,
                    v.CheckAction<number[], 'each horizon must be longer than the one before'>,
                    v.DescriptionAction<number[], 'Horizons, each longer than the one before'>,
                  ]
                >;
                readonly every: v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >;
              },
              undefined
            >,
            v.StrictObjectSchema<
              {
                readonly schedule: v.SchemaWithPipe<
                  readonly [
                    v.LiteralSchema<'success-rate', undefined>,
                    v.DescriptionAction<'success-rate', 'The next horizon when enough episodes succeed'>,
                  ]
                >;
                readonly turns: v.SchemaWithPipe<
                  readonly [
                    v.ArraySchema<
                      v.SchemaWithPipe<
                        readonly [
                          v.NumberSchema<undefined>,
                          v.SafeIntegerAction<number, undefined>,
                          v.MinValueAction<number, number, undefined>,
                          v.DescriptionAction<number, string>,
                        ]
                      >,
                      undefined
                    >,
                    v.MinLengthAction<number[], 2, 'it needs two horizons or more; use `schedule: fixed` for one'>,
                    v.CheckAction<number[], 'each horizon must be longer than the one before'>,
                    v.DescriptionAction<number[], 'Horizons, each longer than the one before'>,
                  ]
                >;
                readonly threshold: v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.MinValueAction<number, 0, undefined>,
                    v.MaxValueAction<number, 1, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >;
                readonly window: v.OptionalSchema<
                  v.SchemaWithPipe<
                    readonly [
                      v.NumberSchema<undefined>,
                      v.SafeIntegerAction<number, undefined>,
                      v.MinValueAction<number, number, undefined>,
                      v.DescriptionAction<number, string>,
                    ]
                  >,
                  1
                >;
              },
              undefined
            >,
            v.StrictObjectSchema<
              {
                readonly schedule: v.SchemaWithPipe<
                  readonly [
                    v.LiteralSchema<'truncation-rate', undefined>,
                    v.DescriptionAction<'truncation-rate', 'The next horizon when too many episodes are cut'>,
                  ]
                >;
                readonly turns: v.SchemaWithPipe<
                  readonly [
                    v.ArraySchema<
                      v.SchemaWithPipe<
                        readonly [
                          v.NumberSchema<undefined>,
                          v.SafeIntegerAction<number, undefined>,
                          v.MinValueAction<number, number, undefined>,
                          v.DescriptionAction<number, string>,
                        ]
                      >,
                      undefined
                    >,
                    v.MinLengthAction<number[], 2, 'it needs two horizons or more; use `schedule: fixed` for one'>,
                    v.CheckAction<number[], 'each horizon must be longer than the one before'>,
                    v.DescriptionAction<number[], 'Horizons, each longer than the one before'>,
                  ]
                >;
                readonly threshold: v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.MinValueAction<number, 0, undefined>,
                    v.MaxValueAction<number, 1, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >;
                readonly window: v.OptionalSchema<
                  v.SchemaWithPipe<
                    readonly [
                      v.NumberSchema<undefined>,
                      v.SafeIntegerAction<number, undefined>,
                      v.MinValueAction<number, number, undefined>,
                      v.DescriptionAction<number, string>,
                    ]
                  >,
                  1
                >;
              },
              undefined
            >,
          ],
          undefined
        >,
        v.DescriptionAction<
          | {
              schedule: 'fixed';
              turns: number;
            }
          | {
              schedule: 'linear';
              from: number;
              to: number;
              over: number;
            }
          | {
              schedule: 'scaling-inter';
              turns: number[];
              every: number;
            }
          | {
              schedule: 'success-rate';
              turns: number[];
              threshold: number;
              window: number;
            }
          | {
              schedule: 'truncation-rate';
              turns: number[];
              threshold: number;
              window: number;
            },
          'Maximum turns of an episode, and how this limit changes over the steps of a stage'
        >,
      ]
    >;
    readonly stages: v.SchemaWithPipe<
      readonly [
        v.RecordSchema<
          v.SchemaWithPipe<
            readonly [
              v.StringSchema<undefined>,
              v.RegexAction<string, 'the name of a stage has lower-case letters, digits and hyphens'>,
            ]
          >,
          v.VariantSchema<
            'kind',
            [
              v.StrictObjectSchema<
                {
                  readonly kind: v.SchemaWithPipe<
                    readonly [
                      v.LiteralSchema<'sft', undefined>,
                      v.DescriptionAction<'sft', 'Supervised fine-tuning on demonstrations'>,
                    ]
                  >;
                  readonly demonstrations: v.OptionalSchema<
                    v.SchemaWithPipe<
                      readonly [
                        v.StrictObjectSchema<
                          {
                            readonly expert: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.StringSchema<undefined>,
                                  v.NonEmptyAction<string, undefined>,
                                  v.DescriptionAction<string, string>,
                                ]
                              >,
                              undefined
                            >;
                            readonly file: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.StringSchema<undefined>,
                                  v.NonEmptyAction<string, undefined>,
                                  v.DescriptionAction<string, string>,
                                ]
                              >,
                              undefined
                            >;
                            readonly count: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.SafeIntegerAction<number, undefined>,
                                  v.MinValueAction<number, number, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              undefined
                            >;
                            readonly successOnly: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.BooleanSchema<undefined>,
                                  v.DescriptionAction<boolean, 'Drop demonstrations that fail'>,
                                ]
                              >,
                              false
                            >;
                          },
                          undefined
                        >,
                        v.DescriptionAction<
                          {
                            expert?: string;
                            file?: string;
                            count?: number;
                            successOnly: boolean;
                          },
                          'The demonstrations to imitate'
                        >,
                      ]
                    >,
                    {}
                  >;
                  readonly steps: v.SchemaWithPipe<
                    readonly [
                      v.NumberSchema<undefined>,
                      v.SafeIntegerAction<number, undefined>,
                      v.MinValueAction<number, number, undefined>,
                      v.DescriptionAction<number, string>,
                    ]
                  >;
                  readonly batchSize: v.OptionalSchema<
                    v.SchemaWithPipe<
                      readonly [
                        v.NumberSchema<undefined>,
                        v.SafeIntegerAction<number, undefined>,
                        v.MinValueAction<number, number, undefined>,
                        v.DescriptionAction<number, string>,
                      ]
                    >,
                    64
                  >;
                  readonly stopWhen: v.ExactOptionalSchema<
                    v.SchemaWithPipe<
                      readonly [
                        v.ArraySchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.StrictObjectSchema<
                                {
                                  readonly metric: v.SchemaWithPipe<
                                    readonly [
                                      v.StringSchema<undefined>,
                                      v.RegexAction<
                                        string,
                                        'a metric is named `train/...`, `rollout/...`, `eval/...` or `cost/...`'
                                      >,
                                      v.DescriptionAction<
                                        string,
                                        'Name of a metric in metrics.jsonl; `cost/...` counts from the start of the run'
                                      >,
                                    ]
                                  >;
                                  readonly above: v.ExactOptionalSchema<
                                    v.SchemaWithPipe<
                                      readonly [
                                        v.NumberSchema<undefined>,
                                        v.FiniteAction<number, undefined>,
                                        v.DescriptionAction<number, 'The rule holds if the metric is above this limit'>,
                                      ]
                                    >,
                                    undefined
                                  >;
                                  readonly below: v.ExactOptionalSchema<
                                    v.SchemaWithPipe<
                                      readonly [
                                        v.NumberSchema<undefined>,
                                        v.FiniteAction<number, undefined>,
                                        v.DescriptionAction<number, 'The rule holds if the metric is below this limit'>,
                                      ]
                                    >,
                                    undefined
                                  >;
                                  readonly for: v.OptionalSchema<
                                    v.SchemaWithPipe<
                                      readonly [
                                        v.NumberSchema<undefined>,
                                        v.SafeIntegerAction<number, undefined>,
                                        v.MinValueAction<number, number, undefined>,
                                        v.DescriptionAction<number, string>,
                                      ]
                                    >,
                                    1
                                  >;
                                },
                                undefined
                              >,
                              v.CheckAction<
                                {
                                  metric: string;
                                  above?: number;
                                  below?: number;
                                  for: number;
                                },
                                'a rule needs `above` or `below`'
                              >,
                            ]
                          >,
                          undefined
                        >,
                        v.MinLengthAction<
                          {
                            metric: string;
                            above?: number;
                            below?: number;
                            for: number;
                          }[],
                          1,
                          undefined
                        >,
                        v.DescriptionAction<
                          {
                            metric: string;
                            above?: number;
                            below?: number;
                            for: number;
                          }[],
                          'Rules that end the stage. The first rule that holds ends it, and the run continues with the next stage'
                        >,
                      ]
                    >,
                    undefined
                  >;
                  readonly optimizer: v.OptionalSchema<
                    v.SchemaWithPipe<
                      readonly [
                        v.StrictObjectSchema<
                          {
                            readonly name: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.PicklistSchema<['adamw', 'muon'], undefined>,
                                  v.DescriptionAction<
                                    'adamw' | 'muon',
                                    '`muon` optimizes hidden matrices, and `adamw` everything else'
                                  >,
                                ]
                              >,
                              'adamw'
                            >;
                            readonly learningRate: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.FiniteAction<number, undefined>,
                                  v.MinValueAction<number, number, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              0.001
                            >;
                            readonly warmup: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.SafeIntegerAction<number, undefined>,
                                  v.MinValueAction<number, number, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              0
                            >;
                            readonly schedule: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.PicklistSchema<['constant', 'linear', 'cosine'], undefined>,
                                  v.DescriptionAction<
                                    'linear' | 'constant' | 'cosine',
                                    'Schedule of the learning rate after the warm-up'
                                  >,
                                ]
                              >,
                              'constant'
                            >;
                            readonly floor: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.MinValueAction<number, 0, undefined>,
                                  v.MaxValueAction<number, 1, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              undefined
                            >;
                            readonly clipNorm: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.FiniteAction<number, undefined>,
                                  v.MinValueAction<number, number, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              1
                            >;
                            readonly options: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.StrictObjectSchema<
                                    {
                                      readonly weightDecay: v.ExactOptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.FiniteAction<number, undefined>,
                                            v.MinValueAction<number, number, undefined>,
                                            v.DescriptionAction<number, string>,
                                          ]
                                        >,
                                        undefined
                                      >;
                                      readonly beta1: v.ExactOptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.MinValueAction<number, 0, undefined>,
                                            v.LtValueAction<number, 1, undefined>,
                                            v.DescriptionAction<number, string>,
                                          ]
                                        >,
                                        undefined
                                      >;
                                      readonly beta2: v.ExactOptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.MinValueAction<number, 0, undefined>,
                                            v.LtValueAction<number, 1, undefined>,
                                            v.DescriptionAction<number, string>,
                                          ]
                                        >,
                                        undefined
                                      >;
                                      readonly epsilon: v.ExactOptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.FiniteAction<number, undefined>,
                                            v.MinValueAction<number, number, undefined>,
                                            v.DescriptionAction<number, string>,
                                          ]
                                        >,
                                        undefined
                                      >;
                                      readonly momentum: v.ExactOptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.MinValueAction<number, 0, undefined>,
                                            v.LtValueAction<number, 1, undefined>,
                                            v.DescriptionAction<number, string>,
                                          ]
                                        >,
                                        undefined
                                      >;
                                    },
                                    undefined
                                  >,
                                  v.DescriptionAction<
                                    {
                                      weightDecay?: number;
                                      beta1?: number;
                                      beta2?: number;
                                      epsilon?: number;
                                      momentum?: number;
                                    },
                                    "Constants; the defaults are the policy's"
                                  >,
                                ]
                              >,
                              {}
                            >;
                          },
                          undefined
                        >,
                        v.DescriptionAction<
                          {
                            name: 'adamw' | 'muon';
                            learningRate: number;
                            warmup: number;
                            schedule: 'linear' | 'constant' | 'cosine';
                            floor?: number;
                            clipNorm: number;
                            options: {
                              weightDecay?: number;
                              beta1?: number;
                              beta2?: number;
                              epsilon?: number;
                              momentum?: number;
                            };
                          },
                          'Optimizer of this stage; each stage starts with a new one'
                        >,
                      ]
                    >,
                    {}
                  >;
                },
                undefined
              >,
              v.StrictObjectSchema<
                {
                  readonly kind: v.SchemaWithPipe<
                    readonly [v.LiteralSchema<'rl', undefined>, v.DescriptionAction<'rl', 'Reinforcement learning'>]
                  >;
                  readonly tasksPerStep: v.OptionalSchema<
                    v.SchemaWithPipe<
                      readonly [
                        v.NumberSchema<undefined>,
                        v.SafeIntegerAction<number, undefined>,
                        v.MinValueAction<number, number, undefined>,
                        v.DescriptionAction<number, string>,
                      ]
                    >,
                    32
                  >;
                  readonly steps: v.SchemaWithPipe<
                    readonly [
                      v.NumberSchema<undefined>,
                      v.SafeIntegerAction<number, undefined>,
                      v.MinValueAction<number, number, undefined>,
                      v.DescriptionAction<number, string>,
                    ]
                  >;
                  readonly stopWhen: v.ExactOptionalSchema<
                    v.SchemaWithPipe<
                      readonly [
                        v.ArraySchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.StrictObjectSchema<
                                {
                                  readonly metric: v.SchemaWithPipe<
                                    readonly [
                                      v.StringSchema<undefined>,
                                      v.RegexAction<
                                        string,
                                        'a metric is named `train/...`, `rollout/...`, `eval/...` or `cost/...`'
                                      >,
                                      v.DescriptionAction<
                                        string,
                                        'Name of a metric in metrics.jsonl; `cost/...` counts from the start of the run'
                                      >,
                                    ]
                                  >;
                                  readonly above: v.ExactOptionalSchema<
                                    v.SchemaWithPipe<
                                      readonly [
                                        v.NumberSchema<undefined>,
                                        v.FiniteAction<number, undefined>,
                                        v.DescriptionAction<number, 'The rule holds if the metric is above this limit'>,
                                      ]
                                    >,
                                    undefined
                                  >;
                                  readonly below: v.ExactOptionalSchema<
                                    v.SchemaWithPipe<
                                      readonly [
                                        v.NumberSchema<undefined>,
                                        v.FiniteAction<number, undefined>,
                                        v.DescriptionAction<number, 'The rule holds if the metric is below this limit'>,
                                      ]
                                    >,
                                    undefined
                                  >;
                                  readonly for: v.OptionalSchema<
                                    v.SchemaWithPipe<
                                      readonly [
                                        v.NumberSchema<undefined>,
                                        v.SafeIntegerAction<number, undefined>,
                                        v.MinValueAction<number, number, undefined>,
                                        v.DescriptionAction<number, string>,
                                      ]
                                    >,
                                    1
                                  >;
                                },
                                undefined
                              >,
                              v.CheckAction<
                                {
                                  metric: string;
                                  above?: number;
                                  below?: number;
                                  for: number;
                                },
                                'a rule needs `above` or `below`'
                              >,
                            ]
                          >,
                          undefined
                        >,
                        v.MinLengthAction<
                          {
                            metric: string;
                            above?: number;
                            below?: number;
                            for: number;
                          }[],
                          1,
                          undefined
                        >,
                        v.DescriptionAction<
                          {
                            metric: string;
                            above?: number;
                            below?: number;
                            for: number;
                          }[],
                          'Rules that end the stage. The first rule that holds ends it, and the run continues with the next stage'
                        >,
                      ]
                    >,
                    undefined
                  >;
                  readonly optimizer: v.OptionalSchema<
                    v.SchemaWithPipe<
                      readonly [
                        v.StrictObjectSchema<
                          {
                            readonly name: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.PicklistSchema<['adamw', 'muon'], undefined>,
                                  v.DescriptionAction<
                                    'adamw' | 'muon',
                                    '`muon` optimizes hidden matrices, and `adamw` everything else'
                                  >,
                                ]
                              >,
                              'adamw'
                            >;
                            readonly learningRate: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.FiniteAction<number, undefined>,
                                  v.MinValueAction<number, number, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              0.001
                            >;
                            readonly warmup: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.SafeIntegerAction<number, undefined>,
                                  v.MinValueAction<number, number, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              0
                            >;
                            readonly schedule: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.PicklistSchema<['constant', 'linear', 'cosine'], undefined>,
                                  v.DescriptionAction<
                                    'linear' | 'constant' | 'cosine',
                                    'Schedule of the learning rate after the warm-up'
                                  >,
                                ]
                              >,
                              'constant'
                            >;
                            readonly floor: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.MinValueAction<number, 0, undefined>,
                                  v.MaxValueAction<number, 1, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              undefined
                            >;
                            readonly clipNorm: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.FiniteAction<number, undefined>,
                                  v.MinValueAction<number, number, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              1
                            >;
                            readonly options: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.StrictObjectSchema<
                                    {
                                      readonly weightDecay: v.ExactOptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.FiniteAction<number, undefined>,
                                            v.MinValueAction<number, number, undefined>,
                                            v.DescriptionAction<number, string>,
                                          ]
                                        >,
                                        undefined
                                      >;
                                      readonly beta1: v.ExactOptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.MinValueAction<number, 0, undefined>,
                                            v.LtValueAction<number, 1, undefined>,
                                            v.DescriptionAction<number, string>,
                                          ]
                                        >,
                                        undefined
                                      >;
                                      readonly beta2: v.ExactOptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.MinValueAction<number, 0, undefined>,
                                            v.LtValueAction<number, 1, undefined>,
                                            v.DescriptionAction<number, string>,
                                          ]
                                        >,
                                        undefined
                                      >;
                                      readonly epsilon: v.ExactOptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.FiniteAction<number, undefined>,
                                            v.MinValueAction<number, number, undefined>,
                                            v.DescriptionAction<number, string>,
                                          ]
                                        >,
                                        undefined
                                      >;
                                      readonly momentum: v.ExactOptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.MinValueAction<number, 0, undefined>,
                                            v.LtValueAction<number, 1, undefined>,
                                            v.DescriptionAction<number, string>,
                                          ]
                                        >,
                                        undefined
                                      >;
                                    },
                                    undefined
                                  >,
                                  v.DescriptionAction<
                                    {
                                      weightDecay?: number;
                                      beta1?: number;
                                      beta2?: number;
                                      epsilon?: number;
                                      momentum?: number;
                                    },
                                    "Constants; the defaults are the policy's"
                                  >,
                                ]
                              >,
                              {}
                            >;
                          },
                          undefined
                        >,
                        v.DescriptionAction<
                          {
                            name: 'adamw' | 'muon';
                            learningRate: number;
                            warmup: number;
                            schedule: 'linear' | 'constant' | 'cosine';
                            floor?: number;
                            clipNorm: number;
                            options: {
                              weightDecay?: number;
                              beta1?: number;
                              beta2?: number;
                              epsilon?: number;
                              momentum?: number;
                            };
                          },
                          'Optimizer of this stage; each stage starts with a new one'
                        >,
                      ]
                    >,
                    {}
                  >;
                  readonly algorithm: v.ExactOptionalSchema<
                    v.SchemaWithPipe<
                      readonly [
                        v.StrictObjectSchema<
                          {
                            readonly name: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.StringSchema<undefined>,
                                  v.NonEmptyAction<string, undefined>,
                                  v.DescriptionAction<string, string>,
                                ]
                              >,
                              undefined
                            >;
                            readonly groupSize: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.SafeIntegerAction<number, undefined>,
                                  v.MinValueAction<number, number, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              undefined
                            >;
                            readonly epochs: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.SafeIntegerAction<number, undefined>,
                                  v.MinValueAction<number, number, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              undefined
                            >;
                            readonly minibatches: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.NumberSchema<undefined>,
                                  v.SafeIntegerAction<number, undefined>,
                                  v.MinValueAction<number, number, undefined>,
                                  v.DescriptionAction<number, string>,
                                ]
                              >,
                              undefined
                            >;
                            readonly recomputeLogprobs: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.BooleanSchema<undefined>,
                                  v.DescriptionAction<
                                    boolean,
                                    "Use the trainer's log probabilities for the ratio instead of the sampler's, and weight each token for the difference"
                                  >,
                                ]
                              >,
                              undefined
                            >;
                            readonly importanceCap: v.ExactOptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.SchemaWithPipe<
                                    readonly [
                                      v.NumberSchema<undefined>,
                                      v.FiniteAction<number, undefined>,
                                      v.MinValueAction<number, number, undefined>,
                                      v.DescriptionAction<number, string>,
                                    ]
                                  >,
                                  v.GtValueAction<number, 0, undefined>,
                                ]
                              >,
                              undefined
                            >;
                            readonly options: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.RecordSchema<v.StringSchema<undefined>, v.GenericSchema<Json>, undefined>,
                                  v.DescriptionAction<
                                    {
                                      [x: string]: Json;
                                    },
                                    `Options of the ${string}; \`agentgym describe ${string} NAME\` shows them`
                                  >,
                                ]
                              >,
                              {}
                            >;
                          },
                          undefined
                        >,
                        v.DescriptionAction<
                          {
                            name?: string;
                            groupSize?: number;
                            epochs?: number;
                            minibatches?: number;
                            recomputeLogprobs?: boolean;
                            importanceCap?: number;
                            options: {
                              [x: string]: Json;
                            };
                          },
                          'Keys of `algorithm` that differ in this stage'
                        >,
                      ]
                    >,
                    undefined
                  >;
                  readonly horizon: v.ExactOptionalSchema<
                    v.SchemaWithPipe<
                      readonly [
                        v.VariantSchema<
                          'schedule',
                          [
                            v.StrictObjectSchema<
                              {
                                readonly schedule: v.SchemaWithPipe<
                                  readonly [
                                    v.LiteralSchema<'fixed', undefined>,
                                    v.DescriptionAction<'fixed', 'One horizon for all steps'>,
                                  ]
                                >;
                                readonly turns: v.SchemaWithPipe<
                                  readonly [
                                    v.NumberSchema<undefined>,
                                    v.SafeIntegerAction<number, undefined>,
                                    v.MinValueAction<number, number, undefined>,
                                    v.DescriptionAction<number, string>,
                                  ]
                                >;
                              },
                              undefined
                            >,
                            v.StrictObjectSchema<
                              {
                                readonly schedule: v.SchemaWithPipe<
                                  readonly [
                                    v.LiteralSchema<'linear', undefined>,
                                    v.DescriptionAction<'linear', 'From one horizon to another, linearly'>,
                                  ]
                                >;
                                readonly from: v.SchemaWithPipe<
                                  readonly [
                                    v.NumberSchema<undefined>,
                                    v.SafeIntegerAction<number, undefined>,
                                    v.MinValueAction<number, number, undefined>,
                                    v.DescriptionAction<number, string>,
                                  ]
                                >;
                                readonly to: v.SchemaWithPipe<
                                  readonly [
                                    v.NumberSchema<undefined>,
                                    v.SafeIntegerAction<number, undefined>,
                                    v.MinValueAction<number, number, undefined>,
                                    v.DescriptionAction<number, string>,
                                  ]
                                >;
                                readonly over: v.SchemaWithPipe<
                                  readonly [
                                    v.NumberSchema<undefined>,
                                    v.SafeIntegerAction<number, undefined>,
                                    v.MinValueAction<number, number, undefined>,
                                    v.DescriptionAction<number, string>,
                                  ]
                                >;
                              },
                              undefined
                            >,
                            v.StrictObjectSchema<
                              {
                                readonly schedule: v.SchemaWithPipe<
                                  readonly [
                                    v.LiteralSchema<'scaling-inter', undefined>,
                                    v.DescriptionAction<
                                      'scaling-inter',
                                      'ScalingInter-RL: the next horizon after a number of steps'
                                    >,
                                  ]
                                >;
                                readonly turns: v.SchemaWithPipe<
                                  readonly [
                                    v.ArraySchema<
                                      v.SchemaWithPipe<
                                        readonly [
                                          v.NumberSchema<undefined>,
                                          v.SafeIntegerAction<number, undefined>,
                                          v.MinValueAction<number, number, undefined>,
                                          v.DescriptionAction<number, string>,
                                        ]
                                      >,
                                      undefined
                                    >,
                                    v.MinLengthAction<
                                      number[],
                                      2,
                                      'it needs two horizons or more; use `schedule: fixed` for one'
                                    >,
                                    v.CheckAction<number[], 'each horizon must be longer than the one before'>,
                                    v.DescriptionAction<number[], 'Horizons, each longer than the one before'>,
                                  ]
                                >;
                                readonly every: v.SchemaWithPipe<
                                  readonly [
                                    v.NumberSchema<undefined>,
                                    v.SafeIntegerAction<number, undefined>,
                                    v.MinValueAction<number, number, undefined>,
                                    v.DescriptionAction<number, string>,
                                  ]
                                >;
                              },
                              undefined
                            >,
                            v.StrictObjectSchema<
                              {
                                readonly schedule: v.SchemaWithPipe<
                                  readonly [
                                    v.LiteralSchema<'success-rate', undefined>,
                                    v.DescriptionAction<
                                      'success-rate',
                                      'The next horizon when enough episodes succeed'
                                    >,
                                  ]
                                >;
                                readonly turns: v.SchemaWithPipe<
                                  readonly [
                                    v.ArraySchema<
                                      v.SchemaWithPipe<
                                        readonly [
                                          v.NumberSchema<undefined>,
                                          v.SafeIntegerAction<number, undefined>,
                                          v.MinValueAction<number, number, undefined>,
                                          v.DescriptionAction<number, string>,
                                        ]
                                      >,
                                      undefined
                                    >,
                                    v.MinLengthAction<
                                      number[],
                                      2,
                                      'it needs two horizons or more; use `schedule: fixed` for one'
                                    >,
                                    v.CheckAction<number[], 'each horizon must be longer than the one before'>,
                                    v.DescriptionAction<number[], 'Horizons, each longer than the one before'>,
                                  ]
                                >;
                                readonly threshold: v.SchemaWithPipe<
                                  readonly [
                                    v.NumberSchema<undefined>,
                                    v.MinValueAction<number, 0, undefined>,
                                    v.MaxValueAction<number, 1, undefined>,
                                    v.DescriptionAction<number, string>,
                                  ]
                                >;
                                readonly window: v.OptionalSchema<
                                  v.SchemaWithPipe<
                                    readonly [
                                      v.NumberSchema<undefined>,
                                      v.SafeIntegerAction<number, undefined>,
                                      v.MinValueAction<number, number, undefined>,
                                      v.DescriptionAction<number, string>,
                                    ]
                                  >,
                                  1
                                >;
                              },
                              undefined
                            >,
                            v.StrictObjectSchema<
                              {
                                readonly schedule: v.SchemaWithPipe<
                                  readonly [
                                    v.LiteralSchema<'truncation-rate', undefined>,
                                    v.DescriptionAction<
                                      'truncation-rate',
                                      'The next horizon when too many episodes are cut'
                                    >,
                                  ]
                                >;
                                readonly turns: v.SchemaWithPipe<
                                  readonly [
                                    v.ArraySchema<
                                      v.SchemaWithPipe<
                                        readonly [
                                          v.NumberSchema<undefined>,
                                          v.SafeIntegerAction<number, undefined>,
                                          v.MinValueAction<number, number, undefined>,
                                          v.DescriptionAction<number, string>,
                                        ]
                                      >,
                                      undefined
                                    >,
                                    v.MinLengthAction<
                                      number[],
                                      2,
                                      'it needs two horizons or more; use `schedule: fixed` for one'
                                    >,
                                    v.CheckAction<number[], 'each horizon must be longer than the one before'>,
                                    v.DescriptionAction<number[], 'Horizons, each longer than the one before'>,
                                  ]
                                >;
                                readonly threshold: v.SchemaWithPipe<
                                  readonly [
                                    v.NumberSchema<undefined>,
                                    v.MinValueAction<number, 0, undefined>,
                                    v.MaxValueAction<number, 1, undefined>,
                                    v.DescriptionAction<number, string>,
                                  ]
                                >;
                                readonly window: v.OptionalSchema<
                                  v.SchemaWithPipe<
                                    readonly [
                                      v.NumberSchema<undefined>,
                                      v.SafeIntegerAction<number, undefined>,
                                      v.MinValueAction<number, number, undefined>,
                                      v.DescriptionAction<number, string>,
                                    ]
                                  >,
                                  1
                                >;
                              },
                              undefined
                            >,
                          ],
                          undefined
                        >,
                        v.DescriptionAction<
                          | {
                              schedule: 'fixed';
                              turns: number;
                            }
                          | {
                              schedule: 'linear';
                              from: number;
                              to: number;
                              over: number;
                            }
                          | {
                              schedule: 'scaling-inter';
                              turns: number[];
                              every: number;
                            }
                          | {
                              schedule: 'success-rate';
                              turns: number[];
                              threshold: number;
                              window: number;
                            }
                          | {
                              schedule: 'truncation-rate';
                              turns: number[];
                              threshold: number;
                              window: number;
                            },
                          'Replaces `horizon` in this stage'
                        >,
                      ]
                    >,
                    undefined
                  >;
                  readonly reward: v.ExactOptionalSchema<
                    v.SchemaWithPipe<
                      readonly [
                        v.StrictObjectSchema<
                          {
                            readonly terms: v.SchemaWithPipe<
                              readonly [
                                v.ArraySchema<
                                  v.StrictObjectSchema<
                                    {
                                      readonly name: v.SchemaWithPipe<
                                        readonly [
                                          v.StringSchema<undefined>,
                                          v.NonEmptyAction<string, undefined>,
                                          v.DescriptionAction<string, string>,
                                        ]
                                      >;
                                      readonly weight: v.OptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.NumberSchema<undefined>,
                                            v.FiniteAction<number, undefined>,
                                            v.DescriptionAction<number, "Factor of the term's numbers">,
                                          ]
                                        >,
                                        1
                                      >;
                                      readonly options: v.OptionalSchema<
                                        v.SchemaWithPipe<
                                          readonly [
                                            v.RecordSchema<v.StringSchema<undefined>, v.GenericSchema<Json>, undefined>,
                                            v.DescriptionAction<
                                              {
                                                [x: string]: Json;
                                              },
                                              `Options of the ${string}; \`agentgym describe ${string} NAME\` shows them`
                                            >,
                                          ]
                                        >,
                                        {}
                                      >;
                                    },
                                    undefined
                                  >,
                                  undefined
                                >,
                                v.MinLengthAction<
                                  {
                                    name: string;
                                    weight: number;
                                    options: {
                                      [x: string]: Json;
                                    };
                                  }[],
                                  1,
                                  undefined
                                >,
                                v.DescriptionAction<
                                  {
                                    name: string;
                                    weight: number;
                                    options: {
                                      [x: string]: Json;
                                    };
                                  }[],
                                  'Reward schemes; their weighted numbers are added up'
                                >,
                              ]
                            >;
                            readonly allowInversion: v.OptionalSchema<
                              v.SchemaWithPipe<
                                readonly [
                                  v.BooleanSchema<undefined>,
                                  v.DescriptionAction<
                                    boolean,
                                    'Accept weights, prices or a discount with which a failure can score above a success'
                                  >,
                                ]
                              >,
                              false
                            >;
                          },
                          undefined
                        >,
                        v.DescriptionAction<
                          {
                            terms: {
                              name: string;
                              weight: number;
                              options: {
                                [x: string]: Json;
                              };
                            }[];
                            allowInversion: boolean;
                          },
                          'Replaces `reward` in this stage'
                        >,
                      ]
                    >,
                    undefined
                  >;
                },
                undefined
              >,
            ],
            undefined
          >,
          undefined
        >,
        v.MinEntriesAction<
          {
            [x: string]:
              | {
                  kind: 'sft';
                  demonstrations: {
                    expert?: string;
                    file?: string;
                    count?: number;
                    successOnly: boolean;
                  };
                  steps: number;
                  batchSize: number;
                  stopWhen?: {
                    metric: string;
                    above?: number;
                    below?: number;
                    for: number;
                  }[];
                  optimizer: {
                    name: 'adamw' | 'muon';
                    learningRate: number;
                    warmup: number;
                    schedule: 'linear' | 'constant' | 'cosine';
                    floor?: number;
                    clipNorm: number;
                    options: {
                      weightDecay?: number;
                      beta1?: number;
                      beta2?: number;
                      epsilon?: number;
                      momentum?: number;
                    };
                  };
                }
              | {
                  kind: 'rl';
                  tasksPerStep: number;
                  steps: number;
                  stopWhen?: {
                    metric: string;
                    above?: number;
                    below?: number;
                    for: number;
                  }[];
                  optimizer: {
                    name: 'adamw' | 'muon';
                    learningRate: number;
                    warmup: number;
                    schedule: 'linear' | 'constant' | 'cosine';
                    floor?: number;
                    clipNorm: number;
                    options: {
                      weightDecay?: number;
                      beta1?: number;
                      beta2?: number;
                      epsilon?: number;
                      momentum?: number;
                    };
                  };
                  algorithm?: {
                    name?: string;
                    groupSize?: number;
                    epochs?: number;
                    minibatches?: number;
                    recomputeLogprobs?: boolean;
                    importanceCap?: number;
                    options: {
                      [x: string]: Json;
                    };
                  };
                  horizon?:
                    | {
                        schedule: 'fixed';
                        turns: number;
                      }
                    | {
                        schedule: 'linear';
                        from: number;
                        to: number;
                        over: number;
                      }
                    | {
                        schedule: 'scaling-inter';
                        turns: number[];
                        every: number;
                      }
                    | {
                        schedule: 'success-rate';
                        turns: number[];
                        threshold: number;
                        window: number;
                      }
                    | {
                        schedule: 'truncation-rate';
                        turns: number[];
                        threshold: number;
                        window: number;
                      };
                  reward?: {
                    terms: {
                      name: string;
                      weight: number;
                      options: {
                        [x: string]: Json;
                      };
                    }[];
                    allowInversion: boolean;
                  };
                };
          },
          1,
          undefined
        >,
        v.DescriptionAction<
          {
            [x: string]:
              | {
                  kind: 'sft';
                  demonstrations: {
                    expert?: string;
                    file?: string;
                    count?: number;
                    successOnly: boolean;
                  };
                  steps: number;
                  batchSize: number;
                  stopWhen?: {
                    metric: string;
                    above?: number;
                    below?: number;
                    for: number;
                  }[];
                  optimizer: {
                    name: 'adamw' | 'muon';
                    learningRate: number;
                    warmup: number;
                    schedule: 'linear' | 'constant' | 'cosine';
                    floor?: number;
                    clipNorm: number;
                    options: {
                      weightDecay?: number;
                      beta1?: number;
                      beta2?: number;
                      epsilon?: number;
                      momentum?: number;
                    };
                  };
                }
              | {
                  kind: 'rl';
                  tasksPerStep: number;
                  steps: number;
                  stopWhen?: {
                    metric: string;
                    above?: number;
                    below?: number;
                    for: number;
                  }[];
                  optimizer: {
                    name: 'adamw' | 'muon';
                    learningRate: number;
                    warmup: number;
                    schedule: 'linear' | 'constant' | 'cosine';
                    floor?: number;
                    clipNorm: number;
                    options: {
                      weightDecay?: number;
                      beta1?: number;
                      beta2?: number;
                      epsilon?: number;
                      momentum?: number;
                    };
                  };
                  algorithm?: {
                    name?: string;
                    groupSize?: number;
                    epochs?: number;
                    minibatches?: number;
                    recomputeLogprobs?: boolean;
                    importanceCap?: number;
                    options: {
                      [x: string]: Json;
                    };
                  };
                  horizon?:
                    | {
                        schedule: 'fixed';
                        turns: number;
                      }
                    | {
                        schedule: 'linear';
                        from: number;
                        to: number;
                        over: number;
                      }
                    | {
                        schedule: 'scaling-inter';
                        turns: number[];
                        every: number;
                      }
                    | {
                        schedule: 'success-rate';
                        turns: number[];
                        threshold: number;
                        window: number;
                      }
                    | {
                        schedule: 'truncation-rate';
                        turns: number[];
                        threshold: number;
                        window: number;
                      };
                  reward?: {
                    terms: {
                      name: string;
                      weight: number;
                      options: {
                        [x: string]: Json;
                      };
                    }[];
                    allowInversion: boolean;
                  };
                };
          },
          'The stages, by name, in this order'
        >,
      ]
    >;
    readonly evaluation: v.OptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StrictObjectSchema<
            {
              readonly every: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                50
              >;
              readonly split: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.PicklistSchema<['validation', 'train'], undefined>,
                    v.DescriptionAction<'validation' | 'train', 'Split of evaluations during training'>,
                  ]
                >,
                'validation'
              >;
              readonly tasks: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.UnionSchema<
                      [
                        v.SchemaWithPipe<
                          readonly [
                            v.NumberSchema<undefined>,
                            v.SafeIntegerAction<number, undefined>,
                            v.MinValueAction<number, number, undefined>,
                            v.DescriptionAction<number, string>,
                          ]
                        >,
                        v.LiteralSchema<'all', undefined>,
                      ],
                      undefined
                    >,
                    v.DescriptionAction<number | 'all', string>,
                  ]
                >,
                100
              >;
              readonly episodesPerTask: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                1
              >;
              readonly temperatures: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.ArraySchema<
                      v.SchemaWithPipe<
                        readonly [
                          v.NumberSchema<undefined>,
                          v.FiniteAction<number, undefined>,
                          v.MinValueAction<number, number, undefined>,
                          v.DescriptionAction<number, string>,
                        ]
                      >,
                      undefined
                    >,
                    v.MinLengthAction<number[], 1, undefined>,
                    v.DescriptionAction<number[], string>,
                  ]
                >,
                readonly [0]
              >;
              readonly horizon: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                undefined
              >;
              readonly seed: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                undefined
              >;
              readonly final: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.StrictObjectSchema<
                      {
                        readonly split: v.OptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.PicklistSchema<['test', 'validation'], undefined>,
                              v.DescriptionAction<'validation' | 'test', 'Split of the final evaluation'>,
                            ]
                          >,
                          'test'
                        >;
                        readonly tasks: v.OptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.UnionSchema<
                                [
                                  v.SchemaWithPipe<
                                    readonly [
                                      v.NumberSchema<undefined>,
                                      v.SafeIntegerAction<number, undefined>,
                                      v.MinValueAction<number, number, undefined>,
                                      v.DescriptionAction<number, string>,
                                    ]
                                  >,
                                  v.LiteralSchema<'all', undefined>,
                                ],
                                undefined
                              >,
                              v.DescriptionAction<number | 'all', string>,
                            ]
                          >,
                          500
                        >;
                        readonly episodesPerTask: v.OptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.NumberSchema<undefined>,
                              v.SafeIntegerAction<number, undefined>,
                              v.MinValueAction<number, number, undefined>,
                              v.DescriptionAction<number, string>,
                            ]
                          >,
                          1
                        >;
                        readonly temperatures: v.OptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.ArraySchema<
                                v.SchemaWithPipe<
                                  readonly [
                                    v.NumberSchema<undefined>,
                                    v.FiniteAction<number, undefined>,
                                    v.MinValueAction<number, number, undefined>,
                                    v.DescriptionAction<number, string>,
                                  ]
                                >,
                                undefined
                              >,
                              v.MinLengthAction<number[], 1, undefined>,
                              v.DescriptionAction<number[], string>,
                            ]
                          >,
                          readonly [0, 1]
                        >;
                        readonly transfer: v.ExactOptionalSchema<
                          v.SchemaWithPipe<
                            readonly [
                              v.RecordSchema<
                                v.SchemaWithPipe<
                                  readonly [
                                    v.StringSchema<undefined>,
                                    v.RegexAction<
                                      string,
                                      'its name must be words of letters and digits, joined by hyphens'
                                    >,
                                  ]
                                >,
                                v.StrictObjectSchema<
                                  {
                                    readonly name: v.ExactOptionalSchema<
                                      v.SchemaWithPipe<
                                        readonly [
                                          v.StringSchema<undefined>,
                                          v.NonEmptyAction<string, undefined>,
                                          v.DescriptionAction<string, string>,
                                        ]
                                      >,
                                      undefined
                                    >;
                                    readonly options: v.OptionalSchema<
                                      v.SchemaWithPipe<
                                        readonly [
                                          v.RecordSchema<v.StringSchema<undefined>, v.GenericSchema<Json>, undefined>,
                                          v.DescriptionAction<
                                            {
                                              [x: string]: Json;
                                            },
                                            `Options of the ${string}; \`agentgym describe ${string} NAME\` shows them`
                                          >,
                                        ]
                                      >,
                                      {}
                                    >;
                                    readonly horizon: v.ExactOptionalSchema<
                                      v.SchemaWithPipe<
                                        readonly [
                                          v.NumberSchema<undefined>,
                                          v.SafeIntegerAction<number, undefined>,
                                          v.MinValueAction<number, number, undefined>,
                                          v.DescriptionAction<number, string>,
                                        ]
                                      >,
                                      undefined
                                    >;
                                  },
                                  undefined
                                >,
                                undefined
                              >,
                              v.MinEntriesAction<
                                {
                                  [x: string]: {
                                    name?: string;
                                    options: {
                                      [x: string]: Json;
                                    };
                                    horizon?: number;
                                  };
                                },
                                1,
                                undefined
                              >,
                              v.DescriptionAction<
                                {
                                  [x: string]: {
                                    name?: string;
                                    options: {
                                      [x: string]: Json;
                                    };
                                    horizon?: number;
                                  };
                                },
                                'Other environments, by name, that the trained policy and the baselines also play, without training: on the same split, with the same number of tasks, at the same temperatures'
                              >,
                            ]
                          >,
                          undefined
                        >;
                      },
                      undefined
                    >,
                    v.DescriptionAction<
                      {
                        split: 'validation' | 'test';
                        tasks: number | 'all';
                        episodesPerTask: number;
                        temperatures: number[];
                        transfer?: {
                          [x: string]: {
                            name?: string;
                            options: {
                              [x: string]: Json;
                            };
                            horizon?: number;
                          };
                        };
                      },
                      'The evaluation after the last stage, with its baselines'
                    >,
                  ]
                >,
                {}
              >;
            },
            undefined
          >,
          v.DescriptionAction<
            {
              every: number;
              split: 'validation' | 'train';
              tasks: number | 'all';
              episodesPerTask: number;
              temperatures: number[];
              horizon?: number;
              seed?: number;
              final: {
                split: 'validation' | 'test';
                tasks: number | 'all';
                episodesPerTask: number;
                temperatures: number[];
                transfer?: {
                  [x: string]: {
                    name?: string;
                    options: {
                      [x: string]: Json;
                    };
                    horizon?: number;
                  };
                };
              };
            },
            'Evaluations, which measure success'
          >,
        ]
      >,
      {}
    >;
    readonly budget: v.ExactOptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StrictObjectSchema<
            {
              readonly units: v.SchemaWithPipe<
                readonly [
                  v.SchemaWithPipe<
                    readonly [
                      v.NumberSchema<undefined>,
                      v.FiniteAction<number, undefined>,
                      v.MinValueAction<number, number, undefined>,
                      v.DescriptionAction<number, string>,
                    ]
                  >,
                  v.GtValueAction<number, 0, undefined>,
                ]
              >;
              readonly costs: v.SchemaWithPipe<
                readonly [
                  v.StrictObjectSchema<
                    {
                      readonly demonstration: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.NumberSchema<undefined>,
                            v.FiniteAction<number, undefined>,
                            v.MinValueAction<number, number, undefined>,
                            v.DescriptionAction<number, string>,
                          ]
                        >,
                        undefined
                      >;
                      readonly episode: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.NumberSchema<undefined>,
                            v.FiniteAction<number, undefined>,
                            v.MinValueAction<number, number, undefined>,
                            v.DescriptionAction<number, string>,
                          ]
                        >,
                        undefined
                      >;
                      readonly turn: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.NumberSchema<undefined>,
                            v.FiniteAction<number, undefined>,
                            v.MinValueAction<number, number, undefined>,
                            v.DescriptionAction<number, string>,
                          ]
                        >,
                        undefined
                      >;
                      readonly token: v.ExactOptionalSchema<
                        v.SchemaWithPipe<
                          readonly [
                            v.NumberSchema<undefined>,
                            v.FiniteAction<number, undefined>,
                            v.MinValueAction<number, number, undefined>,
                            v.DescriptionAction<number, string>,
                          ]
                        >,
                        undefined
                      >;
                    },
                    undefined
                  >,
                  v.DescriptionAction<
                    {
                      demonstration?: number;
                      episode?: number;
                      turn?: number;
                      token?: number;
                    },
                    'Prices: of demonstrations, and of one of `episode`, `turn` and `token`'
                  >,
                ]
              >;
              readonly split: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.RecordSchema<
                      v.StringSchema<undefined>,
                      v.SchemaWithPipe<
                        readonly [
                          v.NumberSchema<undefined>,
                          v.MinValueAction<number, 0, undefined>,
                          v.MaxValueAction<number, 1, undefined>,
                          v.DescriptionAction<number, string>,
                        ]
                      >,
                      undefined
                    >,
                    v.DescriptionAction<
                      {
                        [x: string]: number;
                      },
                      'Share of the units for each stage. Stages without a share divide the rest. A stage with 0 is skipped. A stage whose price is 0 has no limit and no share'
                    >,
                  ]
                >,
                undefined
              >;
            },
            undefined
          >,
          v.DescriptionAction<
            {
              units: number;
              costs: {
                demonstration?: number;
                episode?: number;
                turn?: number;
                token?: number;
              };
              split?: {
                [x: string]: number;
              };
            },
            'A limit on the costs of training, in units; `steps` and `count` remain limits too. Every run counts demonstrations, tasks, episodes, turns, tokens and FLOPs (`cost/...` in metrics.jsonl, `spent` in result.json). Evaluations cost nothing'
          >,
        ]
      >,
      undefined
    >;
    readonly stopAfter: v.ExactOptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StrictObjectSchema<
            {
              readonly seconds: v.SchemaWithPipe<
                readonly [
                  v.NumberSchema<undefined>,
                  v.FiniteAction<number, undefined>,
                  v.MinValueAction<number, number, undefined>,
                  v.DescriptionAction<number, string>,
                ]
              >;
            },
            undefined
          >,
          v.DescriptionAction<
            {
              seconds: number;
            },
            'A stop limit; it does not change schedules'
          >,
        ]
      >,
      undefined
    >;
    readonly record: v.OptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StrictObjectSchema<
            {
              readonly episodes: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                32
              >;
            },
            undefined
          >,
          v.DescriptionAction<
            {
              episodes: number;
            },
            'Which episodes are recorded; metrics always cover all'
          >,
        ]
      >,
      {}
    >;
    readonly checkpoint: v.OptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StrictObjectSchema<
            {
              readonly every: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                50
              >;
              readonly keep: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                2
              >;
            },
            undefined
          >,
          v.DescriptionAction<
            {
              every: number;
              keep: number;
            },
            'Checkpoints, from which the run can resume'
          >,
        ]
      >,
      {}
    >;
    readonly rollout: v.OptionalSchema<
      v.SchemaWithPipe<
        readonly [
          v.StrictObjectSchema<
            {
              readonly inFlight: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                256
              >;
              readonly collection: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.PicklistSchema<['waves', 'free'], undefined>,
                    v.DescriptionAction<
                      'waves' | 'free',
                      'When an episode continues: with `waves` when all environments have answered, with `free` when its own has. Default: `free` if the answers of the policy do not depend on other requests'
                    >,
                  ]
                >,
                undefined
              >;
              readonly deadlineSeconds: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.SchemaWithPipe<
                      readonly [
                        v.NumberSchema<undefined>,
                        v.FiniteAction<number, undefined>,
                        v.MinValueAction<number, number, undefined>,
                        v.DescriptionAction<number, string>,
                      ]
                    >,
                    v.GtValueAction<number, 0, undefined>,
                  ]
                >,
                undefined
              >;
              readonly retries: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                2
              >;
              readonly maxFailedShare: v.OptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.MinValueAction<number, 0, undefined>,
                    v.MaxValueAction<number, 1, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                0.1
              >;
              readonly maxEpisodeTokens: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                undefined
              >;
              readonly maxToolCalls: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                undefined
              >;
              readonly maxToolOutput: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.NumberSchema<undefined>,
                    v.SafeIntegerAction<number, undefined>,
                    v.MinValueAction<number, number, undefined>,
                    v.DescriptionAction<number, string>,
                  ]
                >,
                undefined
              >;
              readonly toolSeconds: v.ExactOptionalSchema<
                v.SchemaWithPipe<
                  readonly [
                    v.SchemaWithPipe<
                      readonly [
                        v.NumberSchema<undefined>,
                        v.FiniteAction<number, undefined>,
                        v.MinValueAction<number, number, undefined>,
                        v.DescriptionAction<number, string>,
                      ]
                    >,
                    v.GtValueAction<number, 0, undefined>,
                  ]
                >,
                undefined
              >;
            },
            undefined
          >,
          v.DescriptionAction<
            {
              inFlight: number;
              collection?: 'waves' | 'free';
              deadlineSeconds?: number;
              retries: number;
              maxFailedShare: number;
              maxEpisodeTokens?: number;
              maxToolCalls?: number;
              maxToolOutput?: number;
              toolSeconds?: number;
            },
            'Playing of episodes'
          >,
        ]
      >,
      {}
    >;
  },
  undefined
>;
export declare interface ReferenceModel {
  logprobs(batch: TrainingBatch): Promise<Float64Array>;
  dispose(): Promise<void>;
}
export declare interface RewardBounds {
  readonly success: readonly [low: number, high: number];
  readonly failure: readonly [low: number, high: number];
}
export declare interface RewardContribution<D extends OptionsDeclaration = OptionsDeclaration> extends ContributionBase<
  'reward',
  D,
  RewardModule<OptionsOf<D>>
> {
  readonly needs?: readonly OptionalFact[];
  readonly toolOptions?: readonly (keyof D & string)[];
}
export declare interface RewardModule<Options> {
  readonly create: (options: Options, host: Host) => RewardScheme;
}
export declare interface RewardScheme {
  readonly density: 'outcome' | 'turn';
  score(turn: RewardTurn): number;
  bounds(context: BoundsContext): RewardBounds;
}
export declare interface RewardTurn {
  readonly facts: Facts;
  readonly previous?: Facts;
  readonly native: number;
  readonly malformed: boolean;
  readonly cut: boolean;
  readonly tokens: number;
  readonly toolCall?: {
    readonly name: string;
    readonly failed: boolean;
  };
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly index: number;
}
export declare type RunEvent =
  | {
      readonly type: 'stage-started';
      readonly stage: string;
      readonly kind: 'sft' | 'rl';
      readonly steps: number;
      readonly done: number;
    }
  | {
      readonly type: 'step';
      readonly stage: string;
      readonly step: number;
      readonly steps: number;
      readonly metrics: {
        readonly [name: string]: number;
      };
    }
  | {
      readonly type: 'evaluation';
      readonly stage: string;
      readonly step: number;
      readonly evaluation: EvaluationSummary;
    }
  | {
      readonly type: 'stage-finished';
      readonly stage: string;
      readonly step: number;
      readonly seconds: number;
    }
  | {
      readonly type: 'warning';
      readonly message: string;
    }
  | {
      readonly type: 'activity';
      readonly message: string;
    };
export declare interface SamplerPromises {
  readonly independent: boolean;
  readonly draws: boolean;
  readonly exact: boolean;
}
export declare interface Sampling {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
}
export declare interface SpawnOptions {
  readonly cwd?: string;
  readonly env?: {
    readonly [name: string]: string | undefined;
  };
  readonly signal?: AbortSignal;
}
export declare type SplitName = 'train' | 'validation' | 'test';
export declare interface Start {
  readonly observation: string;
  readonly instructions?: string;
}
export declare interface StepResult {
  readonly observation: string;
  readonly reward: number;
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly facts: Facts;
}
export declare interface StringOption extends OptionCommon {
  readonly type: 'string';
  readonly default: string | null;
}
export declare interface StringsOption extends OptionCommon {
  readonly type: 'strings';
  readonly default: readonly string[];
}
export declare interface TaskFacts {
  readonly cluster?: string;
  readonly labels?: {
    readonly [axis: string]: string | number;
  };
}
export declare interface TaskSource {
  readonly count: number | 'unbounded';
  id(place: number): Awaitable<string>;
  random(random: Random): Awaitable<string>;
}
export declare interface TokenRecord {
  readonly tokens: readonly number[];
  readonly mask: readonly (0 | 1)[];
  readonly logprobs: readonly number[];
  readonly pieces?: readonly string[];
  readonly advantages?: readonly number[];
  readonly kl?: readonly number[];
  readonly values?: readonly number[];
}
export declare interface Tool {
  readonly instructions: string;
  readonly example: string;
  parse(text: string): ToolReading | undefined;
  begin(context: { readonly random: Random }): Awaitable<ToolSession>;
  dispose?(): Awaitable<void>;
}
export declare interface ToolCall {
  readonly name: string;
  readonly status: 'answered' | 'failed' | 'malformed' | 'refused';
  readonly call?: Json;
  readonly outputCharacters: number;
}
export declare interface ToolContext {
  readonly random: Random;
  readonly signal: AbortSignal;
}
export declare interface ToolContribution<D extends OptionsDeclaration = OptionsDeclaration> extends ContributionBase<
  'tool',
  D,
  ToolModule<OptionsOf<D>>
> {
  readonly external?: boolean;
}
export declare interface ToolModule<Options> {
  readonly create: (options: Options, host: EnvironmentHost) => Awaitable<Tool>;
}
export declare type ToolReading =
  | {
      readonly call: Json;
    }
  | {
      readonly malformed: string;
    };
export declare interface ToolResult {
  readonly output: string;
  readonly failed?: boolean;
}
export declare interface ToolSession {
  run(call: Json, context: ToolContext): Awaitable<ToolResult>;
  dispose?(): Awaitable<void>;
}
export declare interface TrainingBatch {
  readonly rows: number;
  readonly width: number;
  readonly tokens: Int32Array;
  readonly length: Int32Array;
  readonly mask: Uint8Array;
  readonly turn: Int32Array;
  readonly weight: Float64Array;
  readonly logprobs: Float64Array;
  readonly referenceLogprobs?: Float64Array;
  readonly values?: Float64Array;
  readonly rewards: Float64Array;
  readonly advantages: Float64Array;
  readonly returns?: Float64Array;
  readonly klCoefficient?: Float64Array;
  readonly greedyReturn?: Float64Array;
  readonly group: Int32Array;
  readonly truncated: Uint8Array;
  readonly bootstrapValue: Float64Array;
  readonly temperature: number;
}
export declare type TruncationCause = 'horizon' | 'tokens' | 'environment';
export declare interface Turn {
  readonly observation: string;
  readonly observationCharacters?: number;
  readonly text: string;
  readonly action?: string;
  readonly malformed?: string;
  readonly toolCall?: ToolCall;
  readonly cut: boolean;
  readonly reward: number;
  readonly components: {
    readonly [term: string]: number;
  };
  readonly native: number;
  readonly facts: Facts;
  readonly sampled?: readonly [start: number, end: number];
  readonly policyVersion?: number;
}
export declare interface UpdateSettings {
  readonly groupSize: number;
  readonly epochs: number;
  readonly minibatches: number;
  readonly recomputeLogprobs: boolean;
  readonly importanceCap: number;
}
export declare interface WhiteningOptions {
  readonly varianceEpsilon?: number;
  readonly noSignalBelow?: number;
  readonly deviation?: DeviationKind;
}
export declare interface World {
  readonly instructions: string;
  readonly splits: {
    readonly [name in SplitName]: TaskSource;
  };
  about?(task: string): Awaitable<TaskFacts>;
  readonly experts?: readonly string[];
  readonly maxTurns?: number;
  readonly external?: boolean;
  readonly sharesClusters?: boolean;
  create(call: Call): Awaitable<Environment>;
  close?(): Awaitable<void>;
}
export {};
