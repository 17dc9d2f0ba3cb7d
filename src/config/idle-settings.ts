// Law 9: a setting that the user wrote but that has no effect is an error, which names both settings. A default or
// inherited setting is dropped instead. A coefficient of 0 is always legal.
import { costsAnything } from '../training/budget.js';
import { longestTurns } from '../training/horizon.js';
import { defaultedAlgorithmKeys, type ParsedRecipe, type PromptSettings } from './recipe-schema.js';
import type { Complaints } from './complaints.js';
import { horizonReplacements, recipeEntries } from './recipe-entries.js';
import { formatPath, valueAt, type KeyPath, type RecipeLayer } from './recipe-layer.js';
import { usualDemonstrations, usualExamples, usualExpert } from './run-plan.js';

/** The input of the rules besides the recipe, which they change in place. */
export interface IdleContext {
  readonly complaints: Complaints;
  /** Whether the user wrote the key: in the recipe or as a flag, not by default or `extends`. */
  readonly written: (path: KeyPath) => boolean;
}

/**
 * Reports a setting without effect if the user wrote it. 0 and `none` are always legal, since they switch something off.
 *
 * @returns whether to drop the setting
 */
export function reportIdle(
  { complaints, written }: IdleContext,
  path: KeyPath,
  { value, message, hint }: { readonly value: unknown; readonly message: string; readonly hint: string },
): boolean {
  return !written(path) || value === 0 || value === 'none' || complaints.addIdle(path, message, hint);
}

/** What a contribution says of its options. */
export interface Finding {
  readonly message: string;
  readonly hint: string;
  readonly idle?: boolean;
}

/**
 * Reports a finding about an option.
 *
 * @param drop removes an option without effect
 * @param value the written value
 */
export function settleFinding(
  finding: Finding,
  path: KeyPath,
  context: IdleContext,
  drop: () => void,
  value?: unknown,
): void {
  const message = `${formatPath(path)}: ${finding.message}`;
  if (finding.idle !== true) context.complaints.add('AG_RECIPE_INVALID', path, message, finding.hint);
  else if (reportIdle(context, path, { value, message, hint: finding.hint })) drop();
}

/** Creates `written` from the origins of keys. */
export function writtenKeys(value: unknown, originOf: (path: KeyPath) => RecipeLayer | undefined) {
  return (path: KeyPath) => valueAt(value, path) !== undefined && originOf(path)?.origin !== 'extends';
}

/** Reports settings that the user wrote and that have no effect; drops other settings without effect. */
export function settleIdleSettings(recipe: ParsedRecipe, context: IdleContext): void {
  /** The setting at `path` has no effect, for the reason in `because`. Returns whether it was dropped. */
  const idle = (path: KeyPath, because: string): boolean => {
    const value = valueAt(recipe, path);
    if (value === undefined) return false;
    const message = `\`${formatPath(path)}\` has no effect ${because}`;
    const isDropped = reportIdle(context, path, {
      value,
      message,
      hint: 'Remove one of the two, or change the other.',
    });
    if (isDropped) remove(recipe, path);
    return isDropped;
  };
  const stages = Object.entries(recipe.stages);
  const hasRl = stages.some(([, stage]) => stage.kind === 'rl');
  const hasSft = stages.some(([, stage]) => stage.kind === 'sft');

  for (const { path, settings } of recipeEntries(recipe)) {
    if (settings.thread !== 'worker')
      idle([...path, 'workers'], `without \`${formatPath([...path, 'thread'])}: worker\``);
    if (!hasRl) {
      const because = 'in a recipe whose `stages` have no `kind: rl`';
      if (settings.weight !== 1 && !hasSft) idle([...path, 'weight'], because);
      idle([...path, 'sampling', 'temperature'], because);
    }
  }
  if (recipe.policy.from !== undefined) idle(['policy', 'preset'], 'with `policy.from`');
  if (!hasRl) {
    const because = 'in a recipe whose `stages` have no `kind: rl`';
    idle(['algorithm'], because);
    idle(['curriculum'], because);
    idle(['evaluation', 'before'], because);
    idle(['policy', 'sampling', 'temperature'], because);
    const owners: { readonly path: KeyPath; readonly owner: Pick<ParsedRecipe, 'horizon'> }[] = [
      { path: [], owner: recipe },
      ...recipeEntries(recipe).map(({ path, settings }) => ({ path, owner: settings })),
    ];
    for (const { path, owner } of owners) {
      if (owner.horizon === undefined || owner.horizon.schedule === 'fixed') continue;
      const turns = longestTurns(owner.horizon);
      if (idle([...path, 'horizon', 'schedule'], because)) owner.horizon = { schedule: 'fixed', turns };
    }
    if (![...recipe.evaluation.temperatures, ...recipe.evaluation.final.temperatures].some((value) => value > 0)) {
      if (recipe.policy.sampling.topP < 1) idle(['policy', 'sampling', 'topP'], 'if all `temperatures` are 0');
      if (recipe.policy.sampling.topK > 0) idle(['policy', 'sampling', 'topK'], 'if all `temperatures` are 0');
    }
  }
  if (recipe.evaluation.every === 0) {
    for (const key of ['split', 'tasks', 'episodesPerTask', 'temperatures']) {
      idle(['evaluation', key], 'with `evaluation.every: 0`');
    }
  }
  if (recipe.evaluation.before?.tasks === 0) {
    idle(['evaluation', 'before', 'temperatures'], 'with `evaluation.before.tasks: 0`');
  }
  if (recipe.budget !== undefined) {
    if (!hasSft) idle(['budget', 'costs', 'demonstration'], 'in a recipe whose `stages` have no `kind: sft`');
    if (!hasRl) {
      for (const key of ['episode', 'turn', 'token']) {
        idle(['budget', 'costs', key], 'in a recipe whose `stages` have no `kind: rl`');
      }
    }
    if (stages.length === 1) idle(['budget', 'split'], 'in a recipe with one stage');
    for (const [name, { kind }] of stages) {
      // A share of 0 has an effect: the stage is skipped.
      if (costsAnything(kind, recipe.budget.costs) || recipe.budget.split?.[name] === 0) continue;
      idle(['budget', 'split', name], 'with `budget.costs`, which has no price for this stage');
    }
  }
  for (const [name, stage] of stages) {
    const optimizer = ['stages', name, 'optimizer'];
    const { schedule } = stage.optimizer;
    if (schedule === 'constant')
      idle([...optimizer, 'floor'], `with \`${formatPath([...optimizer, 'schedule'])}: constant\``);
    if (stage.kind === 'sft') {
      const demonstrations = ['stages', name, 'demonstrations'];
      const { environments = {}, ...common } = stage.demonstrations;
      const settle = (path: KeyPath, { file }: { readonly file?: string }) => {
        if (file !== undefined) return void idle([...path, 'expert'], `with \`${formatPath([...path, 'file'])}\``);
        for (const key of ['fileFormat', 'otherEnvironments']) {
          idle([...path, key], `without \`${formatPath([...path, 'file'])}\``);
        }
      };
      settle(demonstrations, common);
      for (const [entry, own] of Object.entries(environments)) {
        settle([...demonstrations, 'environments', entry], { ...(own.expert === undefined && common), ...own });
      }
      if (common.file === undefined) {
        stage.demonstrations.expert ??= usualExpert;
        // If the budget has a price for them, it limits their number.
        if (!recipe.budget?.costs.demonstration) stage.demonstrations.count ??= usualDemonstrations;
      }
    }
  }
  if (!hasRl && recipe.policy.sampler?.evaluates !== true) {
    idle(['policy', 'sampler'], 'in a recipe whose `stages` have no `kind: rl`');
  }
  settleReplaced(recipe, idle);
  settleAllowInversion(recipe, idle);
  settleImportanceCaps(recipe, idle);
  settleOverridden(recipe, idle);
  settleCurriculum(recipe, idle);
  settleTools(recipe, idle);
  settlePrompt(recipe, idle);
}

/** Keys that every environment of several, or every stage that would read them, replaces. */
function settleReplaced(recipe: ParsedRecipe, idle: (path: KeyPath, because: string) => unknown): void {
  const horizons = horizonReplacements(recipe);
  if (horizons.length > 0) idle(['horizon'], `with ${horizons.map((path) => `\`${formatPath(path)}\``).join(' and ')}`);
  if (recipe.environments === undefined) return;
  const entries = Object.entries(recipe.environments);
  const replacedBy = (key: 'format' | 'horizon' | 'prompt' | 'reward' | 'tools'): string | undefined =>
    entries.every(([, settings]) => settings[key] !== undefined)
      ? `with ${entries.map(([name]) => `\`environments.${name}.${key}\``).join(' and ')}`
      : undefined;
  for (const key of ['prompt', 'tools'] as const) {
    const because = replacedBy(key);
    if (because !== undefined) idle([key], because);
  }
  for (const key of ['format', 'reward'] as const) {
    const because = replacedBy(key);
    const kept = recipe[key];
    if (because !== undefined && idle([key], because)) Object.assign(recipe, { [key]: kept });
  }
  for (const key of ['horizon', 'reward'] as const) {
    const because = replacedBy(key);
    if (because === undefined) continue;
    for (const name of Object.keys(recipe.stages)) idle(['stages', name, key], because);
  }
}

/**
 * Inversions matter only in training, so the key is idle if no rl stage uses the recipe's own reward. Whether a reward
 * has inversions is known only after it is created.
 */
function settleAllowInversion(recipe: ParsedRecipe, idle: (path: KeyPath, because: string) => unknown): void {
  if (!recipe.reward.allowInversion) return;
  const path = ['reward', 'allowInversion'];
  const rl = Object.entries(recipe.stages).flatMap(([name, stage]) => (stage.kind === 'rl' ? [{ name, stage }] : []));
  const isReplaced = recipeEntries(recipe).every(({ settings }) => settings.reward !== undefined);
  if (rl.length === 0) idle(path, 'in a recipe whose `stages` have no `kind: rl`');
  else if (rl.every(({ stage }) => stage.reward !== undefined)) {
    idle(path, `with ${rl.map(({ name }) => `\`stages.${name}.reward\``).join(' and ')}`);
  } else if (isReplaced) idle(path, 'if each of the `environments` has a `reward`');
  else return;
  recipe.reward.allowInversion = false;
}

/** A call takes a turn, and the agent needs another turn to act on the answer. */
function settleTools(recipe: ParsedRecipe, idle: (path: KeyPath, because: string) => unknown): void {
  const entries = recipeEntries(recipe).map(({ settings }) => settings);
  const horizons = [
    ...Object.values(recipe.stages).flatMap((stage) => (stage.kind === 'rl' ? (stage.horizon ?? []) : [])),
    ...entries.flatMap(({ horizon }) => horizon ?? []),
  ];
  const evaluated = Object.values(recipe.evaluation.final.transfer ?? {}).map(({ horizon }) => horizon ?? 0);
  const longest = Math.max(
    ...[recipe.horizon ?? [], horizons].flat().map(longestTurns),
    recipe.evaluation.horizon ?? 0,
    ...evaluated,
  );
  if (longest === 1) idle(['tools'], 'in episodes of 1 turn: a call would use that turn');
  if (recipe.tools === undefined && entries.every(({ tools = [] }) => tools.length === 0)) {
    for (const key of ['maxToolCalls', 'maxToolOutput', 'toolSeconds']) {
      idle(['rollout', key], 'in a recipe without `tools`');
    }
  } else if ((recipe.rollout.maxToolCalls ?? 0) >= longest) {
    idle(['rollout', 'maxToolCalls'], `in episodes of at most ${longest} turns`);
  }
}

/** A prompt that says nothing is dropped, unless it replaces another. */
function settlePrompt(recipe: ParsedRecipe, idle: (path: KeyPath, because: string) => unknown): void {
  const owners: { readonly path: KeyPath; readonly owner: { prompt?: PromptSettings } }[] = [
    { path: [], owner: recipe },
    ...recipeEntries(recipe).map(({ path, settings }) => ({ path, owner: settings })),
  ];
  for (const { path, owner } of owners) {
    if (owner.prompt === undefined) continue;
    const { examples, system } = owner.prompt;
    const place = [...path, 'prompt', 'examples'];
    if (examples?.file !== undefined) {
      idle([...place, 'expert'], `with \`${formatPath([...place, 'file'])}\``);
    } else if (examples !== undefined) {
      examples.expert ??= usualExpert;
      examples.count ??= usualExamples;
    }
    if (examples === undefined && system === undefined && path.length === 0) delete owner.prompt;
  }
}

/** Settles caps of weights that no rl stage computes. */
function settleImportanceCaps(recipe: ParsedRecipe, idle: (path: KeyPath, because: string) => unknown): void {
  const rl = Object.entries(recipe.stages).flatMap(([name, stage]) => (stage.kind === 'rl' ? [{ name, stage }] : []));
  const weighs = (stage: (typeof rl)[number]['stage']): boolean =>
    stage.algorithm?.recomputeLogprobs ?? recipe.algorithm?.recomputeLogprobs ?? false;
  const because = 'without `recomputeLogprobs: true`';
  if (!rl.some(({ stage }) => weighs(stage))) idle(['algorithm', 'importanceCap'], because);
  for (const { name, stage } of rl) {
    if (!weighs(stage)) idle(['stages', name, 'algorithm', 'importanceCap'], because);
  }
}

/** Keys of `algorithm` that every rl stage overrides: the first stage's value becomes the recipe's own. */
function settleOverridden(recipe: ParsedRecipe, idle: (path: KeyPath, because: string) => unknown): void {
  const { algorithm } = recipe;
  const rl = Object.entries(recipe.stages).flatMap(([name, stage]) => (stage.kind === 'rl' ? [{ name, stage }] : []));
  if (algorithm === undefined || rl.length === 0) return;
  const isOverridden = (key: 'name' | (typeof defaultedAlgorithmKeys)[number]) => {
    if (!rl.every(({ stage }) => stage.algorithm?.[key] !== undefined)) return false;
    const kept = algorithm[key];
    idle(['algorithm', key], `with ${rl.map(({ name }) => `\`stages.${name}.algorithm.${key}\``).join(' and ')}`);
    Object.assign(algorithm, { [key]: kept });
    return true;
  };
  isOverridden('name');
  for (const key of defaultedAlgorithmKeys) {
    if (!isOverridden(key)) continue;
    Object.assign(algorithm, { [key]: rl[0]?.stage.algorithm?.[key] ?? algorithm[key] });
    for (const { stage } of rl) if (stage.algorithm?.[key] === algorithm[key]) delete stage.algorithm[key];
  }
}

/** A curriculum that every rl stage replaces. */
function settleCurriculum({ stages }: ParsedRecipe, idle: (path: KeyPath, because: string) => unknown): void {
  const rl = Object.entries(stages).flatMap(([name, stage]) => (stage.kind === 'rl' ? [{ name, stage }] : []));
  if (rl.length === 0 || rl.some(({ stage }) => stage.curriculum === undefined)) return;
  idle(['curriculum'], `with ${rl.map(({ name }) => `\`stages.${name}.curriculum\``).join(' and ')}`);
}

function remove(recipe: unknown, path: KeyPath): void {
  const parent = valueAt(recipe, path.slice(0, -1)) as Record<string | number, unknown> | undefined;
  const key = path.at(-1);
  if (parent !== undefined && key !== undefined) delete parent[key];
}
