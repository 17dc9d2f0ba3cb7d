import type { OptionDeclaration, OptionFinding, OptionsDeclaration } from '../contracts/options.js';
import { nearestHint } from './nearest-name.js';
import { optionTypes, type OptionLimits } from './option-types.js';
import { WrittenValue } from './written-value.js';

/** Options after the check. Every declared option has a value. A wrong one has its default, and a finding. */
export interface CheckedOptions {
  readonly values: { readonly [name: string]: unknown };
  readonly findings: readonly OptionComplaint[];
}

/** What is wrong with an option. `unknown`: there is no such option. */
export interface OptionComplaint extends OptionFinding {
  readonly unknown: boolean;
}

/**
 * Checks given values against a declaration and fills in defaults. `null` given to an option whose default is null
 * means "not set".
 */
export function checkOptions(
  declaration: OptionsDeclaration,
  given: { readonly [name: string]: unknown } = {},
): CheckedOptions {
  const findings: OptionComplaint[] = [];
  const names = Object.keys(declaration);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const known = names.length === 0 ? 'It has no options; remove it.' : `Options are: ${names.join(', ')}.`;
    findings.push({
      path: [name],
      message: `there is no option \`${name}\``,
      hint: nearestHint(name, names, known),
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
  if (option.type === 'choice') return `one of ${option.choices.join(', ')}`;
  const { item, isList } = optionTypes[option.type];
  const { length, ...limits } = option as OptionLimits;
  const many = length === undefined ? item.several : `${length} ${item.several}`;
  return `${isList ? `a list of ${many}` : item.one}${bounds(limits)}`;
}

function bounds({ minimum, maximum, exclusiveMinimum = false }: OptionLimits): string {
  if (minimum !== undefined && maximum !== undefined && !exclusiveMinimum) return ` from ${minimum} to ${maximum}`;
  const low = minimum === undefined ? [] : [exclusiveMinimum ? `above ${minimum}` : `of at least ${minimum}`];
  const high = maximum === undefined ? [] : [`of at most ${maximum}`];
  return [...low, ...high].map((part) => ` ${part}`).join(' and');
}

/** The problem of a value, without its subject: "is not a whole number"; undefined if the value is valid. */
function complaintAbout(option: OptionDeclaration, value: unknown): string | undefined {
  if (value === null && option.default === null) return undefined;
  if (option.type === 'choice') return option.choices.includes(value as string) ? undefined : `is ${show(value)}`;
  const { item, isList } = optionTypes[option.type];
  const values = isList ? value : [value];
  if (!Array.isArray(values) || !values.every((one) => item.holds(one))) {
    return `is ${show(value)}, not ${isList ? `a list of ${item.several}` : item.one}`;
  }
  const { length = values.length, ...limits } = option as OptionLimits;
  if (values.length !== length) return `has length ${values.length} instead of ${length}`;
  return values.map((one) => outside(limits, one as number)).find((complaint) => complaint !== undefined);
}

function outside({ minimum, maximum, exclusiveMinimum = false }: OptionLimits, value: number): string | undefined {
  if (minimum !== undefined && value < minimum) return `is ${value}, below ${minimum}`;
  if (exclusiveMinimum && value === minimum) return `is ${value}, not above ${minimum}`;
  return maximum !== undefined && value > maximum ? `is ${value}, above ${maximum}` : undefined;
}

function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
