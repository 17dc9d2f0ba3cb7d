import type { EnvironmentSettings } from '../../config/recipe-schema.js';
import type { RlStagePlan, RunPlan, StagePlan } from '../../config/run-plan.js';
import type { Json } from '../../contracts/json.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import type { HostSettings } from '../../plugins/create-host.js';
import type { PluginHost } from '../../plugins/open-plugin-host.js';
import type { AblationPlan, CellSettings } from '../ablation-plan.js';

/** The input from which an axis makes its cells. */
export interface AxisContext {
  /** Plan of the recipe that is varied. */
  readonly plan: RunPlan;
  readonly host: PluginHost;
  readonly settings: HostSettings;
  /** The values given by the user; absent: the values that the axis proposes. */
  readonly values?: readonly Json[] | undefined;
}

interface AxisCells extends Pick<AblationPlan, 'question' | 'cells' | 'reference' | 'tests'> {
  /** `all` compares every pair of cells, for questions about the best cell. */
  readonly compare?: AblationPlan['compare'];
  /** Settings of all cells besides the recipe, which make them comparable. Flags can change these. */
  readonly shared?: CellSettings;
  /** Settings of all cells that recipe and flags cannot change. */
  readonly fixed?: CellSettings;
}

/** A variation with a name: `agentgym ablate NAME`. */
export interface Axis {
  readonly name: string;
  /** What it varies, for help. */
  readonly summary: string;
  /** Throws AG_ABLATION_AXIS if the recipe cannot be varied in this way. */
  cells(context: AxisContext): Promise<AxisCells> | AxisCells;
}

/** The error for a recipe that cannot be varied along an axis. */
export function cannotVary(axis: string, because: string, hint: string): AgentgymError {
  return new AgentgymError('AG_ABLATION_AXIS', {
    message: `\`${axis}\` cannot be varied here: ${because}.`,
    hint,
  });
}

/** The environment whose options an axis varies. Throws AG_ABLATION_AXIS if the recipe has several. */
export function variedEnvironment(axis: string, { entries }: RunPlan): EnvironmentSettings {
  const [{ entry, environment }] = entries;
  if (entry === undefined) return environment;
  const key = `environments.${entry}.options`;
  throw cannotVary(
    axis,
    'the recipe names its `environments`, and this axis varies the options of `environment`',
    `Write an ablation file with \`grid\` or \`cells\` that set keys such as \`${key}\`.`,
  );
}

/** The stages of reinforcement learning. Throws AG_ABLATION_AXIS without one. */
export function rlStagesOf(axis: string, plan: RunPlan): readonly [RlStagePlan, ...RlStagePlan[]] {
  const [first, ...others] = stagesOf(plan, 'rl');
  if (first !== undefined) return [first, ...others];
  throw cannotVary(axis, 'the recipe has no rl stage', 'Use a recipe with one, such as quickstart.');
}

/**
 * Refuses a stage or an environment with a key of its own, which the cells would not change.
 *
 * @param name undefined: there is none
 */
export function refuseOwn(
  axis: string,
  key: 'horizon' | 'reward',
  what: 'stage' | 'environment',
  name: string | undefined,
): void {
  if (name === undefined) return;
  const hint = `Remove \`${what}s.${name}.${key}\`, or write an ablation file.`;
  throw cannotVary(axis, `the ${what} \`${name}\` has its own ${key}`, hint);
}

/** The stages of a kind. */
export function stagesOf<Kind extends StagePlan['kind']>({ stages }: RunPlan, kind: Kind) {
  return stages.filter((stage): stage is Extract<StagePlan, { kind: Kind }> => stage.kind === kind);
}

/** Checks that all values are words. Throws AG_ABLATION_AXIS if one is not. */
export function wordsOf(axis: string, values: readonly Json[]): readonly string[] {
  const wrong = values.find((value) => typeof value !== 'string');
  if (wrong === undefined) return values as readonly string[];
  throw cannotVary(axis, `${JSON.stringify(wrong)} is not a name`, 'Write `--values` as a list of names.');
}
