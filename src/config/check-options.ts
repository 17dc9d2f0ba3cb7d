import type { OptionDeclaration, OptionFinding, OptionsDeclaration } from '../contracts/options.js';
import { nearestName } from './nearest-name.js';
import { WrittenValue } from './written-value.js';

/** Options after the check. Every declared option has a value. A wrong one has its default, and a finding. */
export interface CheckedOptions {
  readonly values: { readonly [name: string]: unknown };
  readonly findings: readonly (OptionFinding & { readonly unknown: boolean })[];
}

/**
 * Checks given values against a declaration and fills in defaults. `null` given to an option whose default is null
 * means "not set".
 */
export function checkOptions(
  declaration: OptionsDeclaration,
  given: { readonly [name: string]: unknown } = {},
): CheckedOptions {
  const findings: (OptionFinding & { readonly unknown: boolean })[] = [];
  const names = Object.keys(declaration);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const near = nearestName(name, names);
    const known = names.length === 0 ? 'It has no options; remove it.' : `Options are: ${names.join(', ')}.`;
    findings.push({
      path: [name],
      message: `there is no option \`${name}\``,
      hint: near === undefined ? known : `Did you mean \`${near}\`?`,
      unknown: true,
    });
  }
  const values = names.map((name) => {
    const option = declaration[name] as OptionDeclaration;
    const value = readWritten(option, Object.hasOwn(given, name) ? given[name] : undefined);
    if (value === undefined) return [name, option.default] as const;
    const complaint = complaintAbout(option, value);
    if (complaint === undefined) return [name, value] as const;
    const hint = `It takes ${describeOptionType(option)}; the default is ${JSON.stringify(option.default)}.`;
    findings.push({ path: [name], message: `\`${name}\` ${complaint}`, hint, unknown: false });
    return [name, option.default] as const;
  });
  return { values: Object.fromEntries(values), findings };
}

/** `model=4` is the text 4, if the option is a text. */
function readWritten({ type }: OptionDeclaration, given: unknown): unknown {
  if (!(given instanceof WrittenValue)) return given;
  return (type === 'string' || type === 'choice') && given.value !== null ? given.text : given.value;
}

/** The allowed values of an option, in words: "a whole number from 1 to 4". */
export function describeOptionType(option: OptionDeclaration): string {
  switch (option.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number${bounds(option)}`;
    case 'number':
      return `a number${bounds(option)}`;
    case 'string':
      return 'text';
    case 'choice':
      return `one of ${option.choices.join(', ')}`;
    case 'integers':
      return `a list of ${option.length === undefined ? '' : `${option.length} `}whole numbers${bounds(option)}`;
    case 'numbers':
      return `a list of numbers${bounds(option)}`;
    case 'strings':
      return 'a list of texts';
  }
}

function bounds(option: { minimum?: number; maximum?: number; exclusiveMinimum?: boolean }): string {
  const { minimum, maximum } = option;
  if (minimum !== undefined && maximum !== undefined && option.exclusiveMinimum !== true) {
    return ` from ${minimum} to ${maximum}`;
  }
  const low =
    minimum === undefined ? [] : [option.exclusiveMinimum === true ? `above ${minimum}` : `of at least ${minimum}`];
  const high = maximum === undefined ? [] : [`of at most ${maximum}`];
  return [...low, ...high].map((part) => ` ${part}`).join(' and');
}

/** The problem of a value, without its subject: "is not a whole number"; undefined if the value is valid. */
function complaintAbout(option: OptionDeclaration, value: unknown): string | undefined {
  if (value === null && option.default === null) return undefined;
  switch (option.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `is ${show(value)}, not true or false`;
    case 'integer':
      return Number.isSafeInteger(value) ? outside(option, value as number) : `is ${show(value)}, not a whole number`;
    case 'number':
      return Number.isFinite(value) ? outside(option, value as number) : `is ${show(value)}, not a number`;
    case 'string':
      return typeof value === 'string' ? undefined : `is ${show(value)}, not text`;
    case 'choice':
      return option.choices.includes(value as string) ? undefined : `is ${show(value)}`;
    case 'integers': {
      if (!Array.isArray(value) || !value.every((item) => Number.isSafeInteger(item))) {
        return `is ${show(value)}, not a list of whole numbers`;
      }
      if (option.length !== undefined && value.length !== option.length) {
        return `has length ${value.length} instead of ${option.length}`;
      }
      return (value as number[]).map((item) => outside(option, item)).find((complaint) => complaint !== undefined);
    }
    case 'numbers':
      return Array.isArray(value) && value.every((item) => Number.isFinite(item))
        ? (value as number[]).map((item) => outside(option, item)).find((complaint) => complaint !== undefined)
        : `is ${show(value)}, not a list of numbers`;
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? undefined
        : `is ${show(value)}, not a list of texts`;
  }
}

function outside(
  { minimum, maximum, exclusiveMinimum }: { minimum?: number; maximum?: number; exclusiveMinimum?: boolean },
  value: number,
): string | undefined {
  if (minimum !== undefined && value < minimum) return `is ${value}, below ${minimum}`;
  if (minimum !== undefined && exclusiveMinimum === true && value === minimum)
    return `is ${value}, not above ${minimum}`;
  return maximum !== undefined && value > maximum ? `is ${value}, above ${maximum}` : undefined;
}

function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
