import type { ReportData } from '../report-data.js';
import { commandLine } from './command-line.js';
import { element } from './element.js';
import { section } from './section.js';

/** The section of recipes: the settings of each run, with keys as in `--set`. */
export function recipeSection({ runs, version, createdAt }: ReportData): HTMLElement {
  const recipes = runs.flatMap(({ recipe, label, id }) =>
    recipe === undefined ? [] : [element('details', element('summary', `${label} (${id})`), keys(recipe))],
  );
  return section(
    'recipe',
    recipes.length === 0 ? 'About' : recipes.length === 1 ? 'Recipe' : 'Recipes',
    [],
    runs.length === 1 && runs[0]?.repeat !== undefined && commandLine('Train it again', runs[0].repeat),
    ...recipes,
    element('p.explain', `Written by agentgym ${version} at ${createdAt.slice(0, 16).replace('T', ' ')} UTC.`),
  );
}

function keys(recipe: object): HTMLElement {
  const rows = flatten(recipe, '').map(([key, value]) => element('div', element('dt', key), element('dd', value)));
  return element('dl.keys.pairs', ...rows);
}

function flatten(value: object, prefix: string): [string, string][] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]): [string, string][] => {
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    if (isObject && Object.keys(inner).length > 0) return flatten(inner, `${prefix}${key}.`);
    return [[`${prefix}${key}`, typeof inner === 'string' ? inner : JSON.stringify(inner)]];
  });
}
