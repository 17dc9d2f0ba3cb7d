import type { OptionGroup } from '../contracts/option-groups.js';
import type { GroupedOptions, OptionDeclaration, OptionsDeclaration } from '../contracts/options.js';
import { optionGroups } from './option-groups.js';

const groupsOf: { readonly [group: string]: OptionsDeclaration } = optionGroups;

/** A group as a plugin may have written it, unchecked. */
interface WrittenGroup {
  readonly group?: unknown;
  readonly change?: { readonly [name: string]: object };
  readonly without?: readonly string[];
}

/** A declaration without groups: the options of each group replace it. Throws if a group is invalid. */
export function expandOptions(declaration: GroupedOptions): OptionsDeclaration {
  const expanded: { [name: string]: OptionDeclaration } = {};
  for (const [key, entry] of Object.entries(declaration)) {
    for (const [name, option] of isGroup(entry) ? optionsOfGroup(key, entry) : [[key, entry] as const]) {
      if (Object.hasOwn(expanded, name)) throw new Error(`.${key}: the option ${name} appears twice`);
      expanded[name] = option;
    }
  }
  return expanded;
}

function isGroup(entry: OptionDeclaration | OptionGroup): entry is OptionGroup {
  return isObject(entry) && Object.hasOwn(entry, 'group');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function optionsOfGroup(key: string, { group, change = {}, without = [] }: WrittenGroup) {
  const options = Object.hasOwn(groupsOf, String(group)) ? groupsOf[String(group)] : undefined;
  if (options === undefined) {
    throw new Error(`.${key}.group: must be one of ${Object.keys(groupsOf).join(', ')}, not ${JSON.stringify(group)}`);
  }
  if (!isObject(change)) throw new Error(`.${key}.change: must be an object`);
  if (!(without instanceof Array)) throw new Error(`.${key}.without: must be a list of names`);
  const names = Object.keys(options);
  for (const [place, given] of Object.entries({ change: Object.keys(change), without })) {
    const unknown = given.find((name) => !names.includes(name));
    if (unknown === undefined) continue;
    throw new Error(`.${key}.${place}: the group has ${names.join(', ')}, and no option ${JSON.stringify(unknown)}`);
  }
  return Object.entries(options)
    .filter(([name]) => !without.includes(name))
    .map(([name, option]) => [name, { ...option, ...change[name] }] as const);
}
