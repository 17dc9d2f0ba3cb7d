import type { AlgorithmFinding, AlgorithmModule } from '../contracts/algorithm.js';
import type { OptionalFact } from '../contracts/facts.js';
import type { OptionFinding } from '../contracts/options.js';
import type {
  Contribution,
  ContributionKind,
  EnvironmentContribution,
  RewardContribution,
} from '../contracts/plugin.js';
import { optionChecks } from '../credit/option-checks.js';
import { isAgentgymError } from '../errors/agentgym-error.js';
import { checkOptimizers } from './check-optimizers.js';
import { checkOptions } from './check-options.js';
import { checkPins, type InstalledPackage } from './check-pins.js';
import type { ParsedRecipe } from './recipe-schema.js';
import type { Complaints } from './complaints.js';
import { idleIn, settleFinding, type Finding, type IdleContext } from './idle-settings.js';
import { foreignKeyHint } from './foreign-names.js';
import { nearestHint } from './nearest-name.js';
import { type RecipeEntry, recipeEntries } from './recipe-entries.js';
import { formatPath, setAt, valueAt, type KeyPath } from './recipe-layer.js';
import { settingPath, type RunPlan } from './run-plan.js';

/** Finds the contributions with which a recipe is checked. A PluginHost is one. */
export interface ContributionFinder {
  find(kind: ContributionKind, name: string): Promise<{ readonly contribution: Contribution }>;
  load(located: { readonly contribution: Contribution }): Promise<unknown>;
  /** The packages that contributions come from. */
  packages(): readonly InstalledPackage[];
}

/** An environment to train in. Its contribution is undefined if it was not found. */
interface CheckedEntry {
  readonly settings: RecipeEntry['settings'];
  readonly environment: Contribution | undefined;
}

interface Block {
  readonly name: string;
  options: Record<string, unknown>;
}

/**
 * Checks that everything the recipe names is installed in the required versions, and checks its options. Fills in the
 * options' defaults and the policy's first preset. Options that a contribution calls idle are errors if the user wrote
 * them. Otherwise they are dropped, and `checkOptions` restores their defaults.
 *
 * @param plan of the recipe before this. Undefined if its rl stages lack an algorithm.
 */
export async function checkRecipeContributions(
  recipe: ParsedRecipe,
  plan: RunPlan | undefined,
  finder: ContributionFinder,
  context: IdleContext,
): Promise<void> {
  const check = (kind: ContributionKind, block: Block, path: KeyPath) => checkBlock(kind, block, path, finder, context);
  const { complaints } = context;
  for (const { name, message, hint } of checkPins(recipe.plugins, finder.packages())) {
    complaints.add('AG_PLUGIN_VERSION', ['plugins', name], message, hint);
  }
  const before = complaints.findings.length;
  const entries = recipeEntries(recipe);
  const environments: CheckedEntry[] = [];
  for (const { path, settings } of entries) {
    environments.push({ settings, environment: await check('environment', settings, path) });
  }
  const isSound = complaints.findings.length === before;
  // An environment that was not found may bring tools.
  const hasTools = ({ environment, settings }: CheckedEntry) =>
    (settings.tools ?? recipe.tools ?? []).length > 0 ||
    environment?.kind !== 'environment' ||
    environment.tools === true;
  if (!environments.some(hasTools)) {
    const limits = ['maxToolCalls', 'maxToolCallsPerTurn', 'maxToolOutput', 'toolSeconds'];
    for (const path of [...limits.map((key) => ['rollout', key]), ['budget', 'costs', 'toolCall']]) {
      idleIn(recipe, context)(path, 'in a recipe without `tools`');
    }
  }
  const checkReward = async (reward: ParsedRecipe['reward'], path: KeyPath, users: readonly CheckedEntry[]) => {
    const schemes: (Contribution | undefined)[] = [];
    for (const [i, term] of reward.terms.entries()) {
      const scheme = await check('reward', term, [...path, 'terms', i]);
      for (const { environment } of users) checkFacts(scheme, environment, [...path, 'terms', i, 'name'], complaints);
      if (!users.some(hasTools)) {
        refuseWithoutTools(scheme, [...path, 'terms', i, 'name'], complaints);
        settleToolOptions(scheme, term, [...path, 'terms', i], context);
      }
      schemes.push(scheme);
    }
    return schemes;
  };
  const checkTools = async (tools: ParsedRecipe['tools'] = [], path: KeyPath) => {
    for (const [i, tool] of tools.entries()) await check('tool', tool, [...path, i]);
  };
  const common = environments.filter(({ settings }) => settings.reward === undefined);
  const schemes = await checkReward(recipe.reward, ['reward'], common);
  for (const [name, other] of Object.entries(recipe.evaluation.final.transfer ?? {})) {
    // Errors in the recipe's environment were already reported, and would be reported again.
    if (other.name === undefined && !isSound) continue;
    const [own] = entries;
    if (own === undefined) continue;
    const block = completeTransfer(own.settings, other);
    const played = await check('environment', block, ['evaluation', 'final', 'transfer', name]);
    Object.assign(other, { name: block.name, options: block.options });
    schemes.forEach((scheme, i) => checkFacts(scheme, played, ['reward', 'terms', i, 'name'], complaints));
  }
  await check('format', recipe.format, ['format']);
  if (recipe.curriculum) await check('curriculum', recipe.curriculum, ['curriculum']);
  await checkTools(recipe.tools, ['tools']);
  for (const [place, { path, settings }] of entries.entries()) {
    if (settings.format) await check('format', settings.format, [...path, 'format']);
    await checkTools(settings.tools, [...path, 'tools']);
    const users = environments.slice(place, place + 1);
    if (settings.reward) await checkReward(settings.reward, [...path, 'reward'], users);
  }
  const policy = await check('policy', recipe.policy, ['policy']);
  if (recipe.policy.sampler) await check('sampler', recipe.policy.sampler, ['policy', 'sampler']);
  if (policy?.kind === 'policy') {
    checkPreset(recipe, policy.presets, context.complaints);
    checkOptimizers(recipe, policy, context);
    settleScratchOptions(recipe, policy.scratchOptions ?? [], context);
  }
  for (const [name, stage] of Object.entries(recipe.stages)) {
    if (stage.kind !== 'rl') continue;
    if (stage.reward) await checkReward(stage.reward, ['stages', name, 'reward'], common);
    if (stage.curriculum) await check('curriculum', stage.curriculum, ['stages', name, 'curriculum']);
  }
  await checkAlgorithms(recipe, plan, finder, context);
}

/**
 * An environment without a name is the recipe's with other options. The resolved recipe has all of these options, so
 * they do not depend on the training environment.
 */
function completeTransfer(own: Block, { name, options }: { readonly name?: string; options: Block['options'] }): Block {
  return name === undefined ? { name: own.name, options: { ...own.options, ...options } } : { name, options };
}

/** Phrases for a missing fact. */
const withoutFact: { readonly [fact in OptionalFact]: string } = {
  progress: 'reports no progress',
  milestones: 'reports no milestones',
  references: 'tells no right answers of its tasks',
};

/**
 * Refuses schemes that pay for facts that the environment never reports. They would silently pay only for the outcome.
 */
function checkFacts(
  scheme: Contribution | undefined,
  environment: Contribution | undefined,
  path: KeyPath,
  complaints: Complaints,
): void {
  if (scheme?.kind !== 'reward' || environment?.kind !== 'environment') return;
  const problem = missingFact(scheme, environment);
  if (problem === undefined) return;
  complaints.add('AG_RECIPE_INVALID', path, `\`${formatPath(path)}\` is ${problem}`, missingFactHint);
}

function refuseWithoutTools(scheme: Contribution | undefined, path: KeyPath, complaints: Complaints): void {
  if (scheme?.kind !== 'reward' || scheme.needsTools !== true) return;
  const message = `\`${formatPath(path)}\` is ${scheme.name}, which pays only for calls of tools, and there are none`;
  complaints.add('AG_RECIPE_INVALID', path, message, 'Remove the term, or list tools under `tools`.');
}

/** "dense, but the environment `x` reports no milestones", if a reward needs what an environment never reports. */
export function missingFact(
  { name, needs = [] }: Pick<RewardContribution, 'name' | 'needs'>,
  environment: Pick<EnvironmentContribution, 'name' | 'facts'>,
): string | undefined {
  const missing = needs.find((fact) => environment.facts?.includes(fact) !== true);
  return missing && `${name}, but the environment \`${environment.name}\` ${withoutFact[missing]}`;
}

export const missingFactHint =
  'Choose another scheme, such as `sparse`, or another environment; `agentgym describe environment NAME` shows what it reports.';

async function checkBlock(
  kind: ContributionKind,
  block: Block,
  path: KeyPath,
  finder: ContributionFinder,
  context: IdleContext,
): Promise<Contribution | undefined> {
  const contribution = (await findBlock(kind, block.name, path, finder, context.complaints))?.contribution;
  if (contribution === undefined) return undefined;
  const place = (option: KeyPath) => [...path, 'options', ...option];
  const values = checkBlockOptions(contribution, block.options, place, context.complaints);
  if (values === undefined) return contribution;
  block.options = values;
  for (const finding of contribution.validate?.(values as never) ?? []) {
    const option = finding.path[0] ?? '';
    settleFinding(finding, place(finding.path), context, () => delete values[option], values[option]);
  }
  return contribution;
}

async function findBlock(
  kind: ContributionKind,
  name: string,
  path: KeyPath,
  finder: ContributionFinder,
  complaints: Complaints,
): Promise<{ readonly contribution: Contribution } | undefined> {
  try {
    return await finder.find(kind, name);
  } catch (error) {
    if (!isAgentgymError(error)) throw error;
    complaints.add(error.code, [...path, 'name'], error.message, error.hint);
    return undefined;
  }
}

/** Complete options, or undefined if there were complaints. */
function checkBlockOptions(
  { kind, name, options }: Contribution,
  given: Readonly<Record<string, unknown>>,
  place: (option: KeyPath) => KeyPath,
  complaints: Complaints,
): Record<string, unknown> | undefined {
  const { values, findings } = checkOptions(options, given);
  for (const finding of findings) {
    const foreign = kind === 'algorithm' && finding.unknown ? foreignKeyHint(finding.path) : undefined;
    const hint = `${foreign ?? finding.hint} See \`agentgym describe ${kind} ${name}\`.`;
    complaints.addOption({ ...finding, hint }, place(finding.path), `${kind} \`${name}\``);
  }
  return findings.length > 0 ? undefined : { ...values };
}

function checkPreset(
  recipe: ParsedRecipe,
  presets: readonly { readonly name: string }[],
  complaints: Complaints,
): void {
  const { policy } = recipe;
  const names = presets.map(({ name }) => name);
  if (policy.preset !== undefined && !names.includes(policy.preset)) {
    const all = names.length === 0 ? 'It has none: set `policy.from`.' : `Presets are: ${names.join(', ')}.`;
    const message = `policy \`${policy.name}\` has no preset \`${policy.preset}\``;
    complaints.add('AG_RECIPE_INVALID', ['policy', 'preset'], message, nearestHint(policy.preset, names, all));
  }
  if (policy.preset === undefined && policy.from === undefined && names[0] !== undefined) policy.preset = names[0];
}

/** A loaded model already has its tokenizer and shape, so options for creating them are idle. */
function settleScratchOptions({ policy }: ParsedRecipe, names: readonly string[], context: IdleContext): void {
  if (policy.from === undefined) return;
  for (const name of names) {
    const finding = {
      message: `\`${name}\` has no effect with \`policy.from\``,
      hint: 'Remove one of the two, or change the other.',
      idle: true,
    };
    settleFinding(finding, ['policy', 'options', name], context, () => delete policy.options[name]);
  }
}

/** Without tools, prices of calls are idle. */
function settleToolOptions(scheme: Contribution | undefined, term: Block, path: KeyPath, context: IdleContext): void {
  if (scheme?.kind !== 'reward') return;
  for (const name of scheme.toolOptions ?? []) {
    const finding = {
      message: `\`${name}\` has no effect in a recipe without \`tools\``,
      hint: 'Remove it, or list tools under `tools`.',
      idle: true,
    };
    settleFinding(finding, [...path, 'options', name], context, () => delete term.options[name], term.options[name]);
  }
}

/** A finding about a setting also depends on the algorithm next to it, so the message names both. */
function besideName(finding: OptionFinding, name: string, value: unknown): OptionFinding {
  return { ...finding, message: `it is ${String(value)} with \`name: ${name}\`: ${finding.message}` };
}

/**
 * Checks each rl stage's algorithm with its overrides. An option is idle only if it is idle in every stage that it
 * reaches.
 */
async function checkAlgorithms(
  recipe: ParsedRecipe,
  plan: RunPlan | undefined,
  finder: ContributionFinder,
  context: IdleContext,
): Promise<void> {
  const base = recipe.algorithm;
  if (base === undefined || plan === undefined) return;
  const idle = new Map<string, { readonly path: KeyPath; readonly finding: Finding; stages: number }>();
  const reached = new Map<string, number>();
  const seen = new Set<string>();
  let complete: Record<string, unknown> | undefined;

  // `stage.own` is the recipe's stage itself, which is completed in place.
  for (const stage of plan.stages) {
    if (stage.kind !== 'rl') continue;
    const { algorithm: settings, update } = stage;
    const here: KeyPath = ['stages', stage.name, 'algorithm'];
    const own = settings.name !== base.name;
    const place = (option: KeyPath): KeyPath =>
      own ? [...here, 'options', ...option] : settingPath(stage, ['algorithm', 'options', ...option]);
    const located = await findBlock('algorithm', settings.name, own ? here : ['algorithm'], finder, context.complaints);
    if (located === undefined) return;
    const values = checkBlockOptions(located.contribution, settings.options, place, context.complaints);
    if (values === undefined) return;
    if (own && stage.own.algorithm !== undefined) stage.own.algorithm.options = values as typeof settings.options;
    for (const option of Object.keys(values)) {
      const key = formatPath(place([option]));
      reached.set(key, (reached.get(key) ?? 0) + 1);
    }
    if (!own && complete === undefined) complete = checkOptions(located.contribution.options, base.options).values;
    const module = (await finder.load(located)) as AlgorithmModule<unknown>;
    const findings: AlgorithmFinding[] = [
      ...(located.contribution.validate?.(values as never) ?? []),
      ...(module.validate?.(values, update, optionChecks) ?? []),
    ];
    for (const { setting, ...found } of findings) {
      const finding = setting === undefined ? found : besideName(found, settings.name, update[setting]);
      const owner = setting !== undefined && context.written([...here, setting]) ? here : ['algorithm'];
      const path = setting === undefined ? place(finding.path) : [...owner, setting];
      const key = formatPath(path);
      if (finding.idle !== true) {
        if (!seen.has(key + finding.message)) settleFinding(finding, path, context, () => undefined);
        seen.add(key + finding.message);
        continue;
      }
      const entry = idle.get(key) ?? { path, finding, stages: 0 };
      entry.stages += 1;
      idle.set(key, entry);
    }
  }
  if (complete !== undefined) base.options = { ...complete } as typeof base.options;
  for (const [key, { path, finding, stages }] of idle) {
    if (stages < (reached.get(key) ?? 0)) continue;
    settleFinding(finding, path, context, () => setAt(recipe, path, undefined), valueAt(recipe, path));
  }
}
