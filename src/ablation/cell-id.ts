import type { Json } from '../contracts/json.js';
import type { CellPlan } from './ablation-plan.js';
import { shownSetting } from '../reporting/shown-values.js';
import type { LevelName } from './level-names.js';

/** A key of a grid with one of its values and the name of that value. */
export interface Level extends LevelName {
  readonly key: string;
  readonly value: Json;
}

/** The cell with these levels. Its folder is `grpo.clipHigh-0.28`, and people read `grpo, clipHigh 0.28`. */
export function cellOfLevels(levels: readonly Level[]): CellPlan {
  const keys = levels.map(({ key }) => key);
  const titles = levels.map(({ key, text, isName }) => (isName ? text : shownSetting(lastWords(key, keys, ' '), text)));
  const ids = levels.map(({ key, value, text, isName }) =>
    isName ? valueName(text) : `${lastWords(key, keys, '-')}-${valueName(value)}`,
  );
  return {
    id: ids.join('.').slice(0, 120),
    title: titles.join(', '),
    settings: Object.fromEntries(levels.map(({ key, value }) => [key, value])),
    levels: Object.fromEntries(levels.map(({ key }, index) => [key, titles[index] ?? key])),
  };
}

/** The cell that sets one option of the environment: `depth-3`. */
export function cellOfOption(option: string, value: Json): CellPlan {
  const { id, settings } = cellOfLevels([{ key: `environment.options.${option}`, value, text: '', isName: false }]);
  return { id, settings };
}

/** The last word of a key; keys with the same last word are written in full. */
function lastWords(key: string, keys: readonly string[], joint: string): string {
  const last = (other: string) => other.split('.').at(-1);
  return keys.filter((other) => last(other) === last(key)).length > 1 ? key.replaceAll('.', joint) : (last(key) ?? key);
}

/**
 * Id of a policy that was trained in one cell and tested in the environment of another: `width-8-12.on.width-20-31`.
 */
export function testedId(trained: string, tested: string): string {
  return `${trained}.on.${tested}`;
}

/** A value as part of a name: `0.5`, `sparse`, `8-27`. Quotes, brackets and other such characters become hyphens. */
export function valueName(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const name = text.replaceAll(/[^a-zA-Z0-9.]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  return typeof value === 'number' && value < 0 ? `minus-${name}` : name || 'none';
}
