import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { builtInAblations } from '../config/built-in-recipes.js';
import type { Setting } from '../config/parse-setting.js';
import { readAblationFile } from '../config/read-ablation-file.js';
import type { Recipe } from '../config/recipe-schema.js';
import { acceptRecipe, resolveRecipe, type ResolvedRecipe } from '../config/resolve-recipe.js';
import type { Json } from '../contracts/json.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { AblationPlan, CellPlan, CellSettings } from './ablation-plan.js';
import { expandGrid, gridSize } from './expand-grid.js';
import { rewardCheck } from '../experiments/reward-check.js';
import { findAxis } from './named-axes.js';
import { ablationFingerprint, resolveCells, type CellBase, type ResolvedCells } from './resolve-cells.js';

export interface AblationRequest {
  /** Name of an axis, path of an ablation file, or name of a built-in recipe that has one. */
  readonly what: string;
  /** The recipe to vary; absent: the file's, or the project's. */
  readonly recipe?: string | undefined;
  readonly sets: readonly (string | Setting)[];
  /** How many seeds; absent: the file's, or 3. */
  readonly seeds?: number | undefined;
  /** Values to try along a named axis. */
  readonly values?: readonly Json[] | undefined;
  readonly cwd: string;
  readonly runsFolder: string;
  readonly host: PluginHost;
  /** Settings for the check of the cells' rewards. */
  readonly settings: HostSettings;
  /** Accepts ablations of any size. */
  readonly yes: boolean;
}

/** A checked ablation; nothing has been written. */
export interface PlannedAblation extends ResolvedCells {
  readonly plan: AblationPlan;
  readonly seeds: readonly number[];
  /** The folder of these cells. The same question finds the runs made for it before. */
  readonly folder: string;
}

/** More runs than this need a confirmation. */
const largeAblation = 200;
const defaultSeeds = 3;

/** Reads the request, resolves every cell, and checks everything. */
export async function planAblation(request: AblationRequest): Promise<PlannedAblation> {
  const isFile = /[\\/]|\.(ya?ml|json|[jt]s|mjs)$/.test(request.what);
  const builtIn = await builtInAblations();
  const file = isFile ? request.what : builtIn.find(({ name }) => name === request.what)?.file;
  const names = builtIn.map(({ name }) => name);
  const asked = file === undefined ? await fromAxis(request, names) : await fromFile(request, file);
  const { plan, seeds, shared, fixed, base, resolved } = asked;
  refuseLarge(plan.cells.length, request.yes, seeds.length);
  checkNames(plan);
  const common = { ...commonSettings(resolved, await threadsOption(resolved.recipe, request.host)), ...shared };
  const unset = Object.entries(common).filter(([key]) => !isSet(key, request.sets, plan.cells));
  const { cells, plans } = await resolveCells(plan, { ...Object.fromEntries(unset), ...fixed }, base);
  const folder = join(request.runsFolder, 'ablations', `${plan.name}-${ablationFingerprint(cells)}`);
  return { plan, cells, plans, seeds, folder };
}

interface Asked {
  readonly plan: AblationPlan;
  readonly seeds: readonly number[];
  readonly shared: CellSettings;
  /** Settings of all cells that no flag changes. */
  readonly fixed: CellSettings;
  readonly base: CellBase;
  /** The base without any cell. */
  readonly resolved: ResolvedRecipe;
}

async function fromAxis(request: AblationRequest, builtIn: readonly string[]): Promise<Asked> {
  const { recipe: source, sets, cwd, host, settings, values } = request;
  const axis = findAxis(request.what, builtIn);
  const place = { source, sets, cwd, host };
  const resolved = acceptRecipe(await resolveRecipe(place));
  const base = { ...place, checkRewards: rewardCheck(host, settings) };
  const asked = await axis.cells({ plan: resolved.plan, host, settings, values });
  const { question, cells, reference, compare = 'reference', shared = {}, fixed = {}, tests } = asked;
  const plan = {
    name: `${axis.name}-${resolved.recipe.name}`,
    axis: axis.name,
    question,
    cells,
    reference,
    compare,
    tests,
  };
  return { plan, seeds: firstSeeds(request.seeds ?? defaultSeeds), shared, fixed, base, resolved };
}

async function fromFile(request: AblationRequest, path: string): Promise<Asked> {
  const { sets, cwd, host } = request;
  if (request.values !== undefined) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: '`--values` has no effect with an ablation file, which has its own values.',
      hint: 'Remove it, or name an axis.',
    });
  }
  const { ablation, file, folder } = await readAblationFile(path, cwd);
  const { grid, design, sample, seeds: written, compare = 'reference', name, set: shared, transfer } = ablation;
  if (grid !== undefined) refuseLarge(design === 'full' ? gridSize(grid) : (sample ?? 0), request.yes);
  const named = Object.entries(ablation.cells ?? {}).map(([id, settings]): CellPlan => ({ id, settings }));
  const cells = [...(grid === undefined ? [] : expandGrid(grid, design, sample)), ...named];
  const question = ablation.question ?? `Which of ${cells.length} cells does best?`;
  const reference = ablation.reference ?? cells[0]?.id ?? '';
  const tests = transfer ? cells.map(({ id }) => id) : undefined;
  const plan = { name, axis: 'grid', question, cells, reference, compare, tests };
  const source = request.recipe ?? ablation.recipe;
  // A recipe named in the file is relative to the file; a recipe from the command line is relative to the current
  // folder.
  const place = { source, sets, cwd: request.recipe === undefined ? folder : cwd, host };
  const base = { ...place, checkRewards: rewardCheck(host, request.settings) };
  if (!cells.some(({ id }) => id === plan.reference)) {
    throw new AgentgymError('AG_ABLATION_GRID', {
      message: `\`reference\` is ${plan.reference}, which is not a cell.`,
      hint: `Cells are: ${cells.map(({ id }) => id).join(', ')}.`,
      file,
      path: 'reference',
    });
  }
  const seeds = request.seeds ?? written;
  return {
    plan,
    seeds: typeof seeds === 'number' ? firstSeeds(seeds) : [...new Set(seeds)],
    shared,
    fixed: transfer ? await testsOnAll(plan, shared, base) : {},
    base,
    resolved: acceptRecipe(await resolveRecipe(place)),
  };
}

/** The setting with which every cell is tested on the environments of all cells. */
async function testsOnAll(plan: AblationPlan, shared: CellSettings, base: CellBase): Promise<CellSettings> {
  const levels = new Map<string, Json>();
  for (const [id, { entries }] of (await resolveCells(plan, shared, base)).plans) {
    const [{ entry, environment, evaluationHorizon: horizon }] = entries;
    if (entry !== undefined) {
      throw new AgentgymError('AG_ABLATION_GRID', {
        message: `\`transfer: true\` tests on the environment of each cell, and ${id} names several \`environments\`.`,
        hint: 'Remove `transfer`, and list what to test on under `evaluation.final.transfer` of the recipe.',
      });
    }
    const { name, options } = environment;
    const level: Json = { name, options: options as Json, horizon };
    const [twin] = [...levels].find(([, other]) => isDeepStrictEqual(other, level)) ?? [];
    if (twin !== undefined) {
      throw new AgentgymError('AG_ABLATION_GRID', {
        message: `\`transfer: true\` tests on the environments of all cells, and ${twin} and ${id} have the same one.`,
        hint: 'Vary only `environment` and `horizon`, or remove `transfer`.',
      });
    }
    levels.set(id, level);
  }
  return { 'evaluation.final.transfer': Object.fromEntries(levels) };
}

/**
 * Settings that make cells comparable. All cells are evaluated on the same tasks in the same worlds, and each trains
 * with one thread, because they run concurrently. Values from the recipe or a flag take precedence.
 */
function commonSettings({ recipe, origin }: ResolvedRecipe, threads: string | undefined): CellSettings {
  return {
    ...(recipe.evaluation.seed === undefined && { 'evaluation.seed': 1 }),
    ...(threads !== undefined &&
      origin(['policy', 'options', threads]) === 'default' && { [`policy.options.${threads}`]: 1 }),
  };
}

async function threadsOption({ policy }: Recipe, host: PluginHost): Promise<string | undefined> {
  const { contribution } = await host.find('policy', policy.name);
  return Object.entries(contribution.options).find(([, { threads }]) => threads)?.[0];
}

function isSet(key: string, sets: AblationRequest['sets'], cells: readonly CellPlan[]): boolean {
  const paths = sets.map((set) => (typeof set === 'string' ? set.slice(0, set.indexOf('=')) : set.path.join('.')));
  const varied = cells.flatMap(({ settings }) => Object.keys(settings));
  return [...paths, ...varied].some((path) => path === key || key.startsWith(`${path}.`));
}

function firstSeeds(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function checkNames({ cells }: AblationPlan): void {
  const twice = cells.find(({ id }, index) => cells.findIndex((other) => other.id === id) !== index);
  if (twice === undefined) return;
  throw new AgentgymError('AG_ABLATION_GRID', {
    message: `Two cells have the name ${twice.id}.`,
    hint: 'Give them different names under `cells`.',
  });
}

/** @param seeds absent: the cells are counted before they are made */
function refuseLarge(cells: number, yes: boolean, seeds?: number): void {
  const runs = cells * (seeds ?? 1);
  if (runs <= largeAblation || yes) return;
  const what = seeds === undefined ? `${cells} cells` : `${cells} cells with ${seeds} seeds are ${runs} runs`;
  throw new AgentgymError('AG_ABLATION_GRID', {
    message: `The grid is large: ${what}.`,
    hint: 'Use `design: random` with a `sample`, or confirm the size with `--yes`; `--dry-run` estimates the time.',
  });
}
