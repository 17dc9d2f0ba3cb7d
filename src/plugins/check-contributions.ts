import { checkOptions } from '../config/check-options.js';
import { optionTypes } from '../config/option-types.js';
import { isKeyMap, type KeyMap } from '../config/recipe-layer.js';
import type { GroupedOptions, OptionsDeclaration } from '../contracts/options.js';
import type { Contribution, ContributionKind } from '../contracts/plugin.js';
import { expandOptions } from '../credit/expand-options.js';
import { messageOf } from '../errors/message-of.js';

export const contributionKinds = [
  'environment',
  'reward',
  'policy',
  'algorithm',
  'format',
  'tool',
  'player',
  'sampler',
  'curriculum',
] as const satisfies readonly ContributionKind[];

/**
 * Returns the contributions of a plugin's entry, each with all its options. If the shape of its default export is
 * wrong, it returns complaints, each with its place.
 */
export function checkContributions(exported: unknown): {
  readonly contributions?: readonly Contribution[];
  readonly complaints: readonly string[];
} {
  if (!Array.isArray(exported)) return { complaints: [`default export: must be a list, not ${kindOf(exported)}`] };
  const complaints: string[] = [];
  const contributions: Contribution[] = [];
  const seen = new Set<string>();
  exported.forEach((written: unknown, i) => {
    const place = `[${i}]`;
    if (!isKeyMap(written)) {
      complaints.push(`${place}: must be an object, not ${kindOf(written)}`);
      return;
    }
    let item: KeyMap;
    try {
      item = withoutGroups(written);
    } catch (error) {
      complaints.push(`${place}.options${messageOf(error)}`);
      return;
    }
    complaints.push(...complaintsAbout(item, place));
    const id = `${String(item['kind'])} ${String(item['name'])}`;
    if (seen.has(id)) complaints.push(`${place}: ${id} appears twice`);
    seen.add(id);
    contributions.push(item as unknown as Contribution);
  });
  return complaints.length > 0 ? { complaints } : { contributions, complaints };
}

/** Replaces the groups of options that a contribution names by the options of each group. */
function withoutGroups(item: KeyMap): KeyMap {
  if (!['algorithm', 'environment'].includes(String(item['kind'])) || !isKeyMap(item['options'])) return item;
  return { ...item, options: expandOptions(item['options'] as GroupedOptions) };
}

function complaintsAbout(item: KeyMap, place: string): string[] {
  const { kind, name, summary, options, load } = item;
  const wrong: string[] = [];
  if (!contributionKinds.includes(kind as ContributionKind)) {
    wrong.push(`${place}.kind: must be one of ${contributionKinds.join(', ')}, not ${JSON.stringify(kind)}`);
  }
  if (typeof name !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    wrong.push(`${place}.name: must be lower-case words joined by hyphens, not ${JSON.stringify(name)}`);
  }
  if (typeof summary !== 'string' || summary === '') wrong.push(`${place}.summary: must be a sentence`);
  if (typeof load !== 'function') wrong.push(`${place}.load: must be a function, not ${kindOf(load)}`);
  for (const optional of ['validate', 'diagnose']) {
    const member = item[optional];
    if (member !== undefined && typeof member !== 'function') wrong.push(`${place}.${optional}: must be a function`);
  }
  wrong.push(...complaintsAboutRemedies(item['remedies'], `${place}.remedies`));
  if (kind === 'policy' && !isPresetList(item['presets'])) {
    wrong.push(`${place}.presets: must be a list of {name, summary}`);
  }
  if (kind === 'policy') wrong.push(...complaintsAboutOptimizers(item['optimizers'], `${place}.optimizers`));
  const scratch = item['scratchOptions'] ?? [];
  if (
    !Array.isArray(scratch) ||
    !scratch.every((option) => isKeyMap(options) && Object.hasOwn(options, String(option)))
  ) {
    wrong.push(`${place}.scratchOptions: must be a list of option names`);
  }
  if (!isKeyMap(options)) return [...wrong, `${place}.options: must be an object, not ${kindOf(options)}`];
  return [...wrong, ...complaintsAboutOptions(options, `${place}.options`)];
}

function complaintsAboutOptimizers(optimizers: unknown, place: string): string[] {
  const all = Array.isArray(optimizers) ? (optimizers as readonly KeyMap[]) : [];
  if (all.length === 0 || !isPresetList(all)) {
    return [`${place}: must be a list of {name, summary, options} that is not empty`];
  }
  return all.flatMap(({ options }, i) => {
    const here = `${place}[${i}].options`;
    return isKeyMap(options)
      ? complaintsAboutOptions(options, here)
      : [`${here}: must be an object, not ${kindOf(options)}`];
  });
}

function complaintsAboutRemedies(remedies: unknown, place: string): string[] {
  if (remedies === undefined) return [];
  if (!isKeyMap(remedies)) return [`${place}: must be an object, not ${kindOf(remedies)}`];
  return Object.entries(remedies).flatMap(([name, remedy]) => {
    const here = `${place}.${name}`;
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return [`${here}: its name must be lower-case words joined by hyphens`];
    if (!isKeyMap(remedy)) return [`${here}: must be an object, not ${kindOf(remedy)}`];
    const { summary } = remedy;
    return [
      ...(typeof summary === 'string' && summary !== '' ? [] : [`${here}.summary: must be a sentence`]),
      ...['plan', 'apply'].flatMap((member) =>
        typeof remedy[member] === 'function'
          ? []
          : [`${here}.${member}: must be a function, not ${kindOf(remedy[member])}`],
      ),
    ];
  });
}

function complaintsAboutOptions(options: KeyMap, place: string): string[] {
  return Object.entries(options).flatMap(([name, option]) => {
    const here = `${place}.${name}`;
    if (!isKeyMap(option)) return [`${here}: must be an object, not ${kindOf(option)}`];
    const type = String(option['type']);
    if (!Object.hasOwn(optionTypes, type)) {
      return [`${here}.type: must be one of ${Object.keys(optionTypes).join(', ')}`];
    }
    if (typeof option['description'] !== 'string') return [`${here}.description: must be a sentence`];
    if (type === 'choice' && !Array.isArray(option['choices'])) return [`${here}.choices: must be a list of words`];
    if (option['default'] === undefined) return [`${here}.default: must have a value`];
    const { findings } = checkOptions({ [name]: option } as unknown as OptionsDeclaration, {
      [name]: option['default'],
    });
    return findings.map(({ message }) => `${here}.default: ${message}`);
  });
}

function isPresetList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => isKeyMap(item) && typeof item['name'] === 'string');
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
}
