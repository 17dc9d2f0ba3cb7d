import { checkOptions } from '../config/check-options.js';
import type { OptionDeclaration, OptionsDeclaration } from '../contracts/options.js';

/** Options to try a contribution with. */
export interface OptionSet {
  /** Absent for the defaults. */
  readonly label?: string;
  readonly options: { readonly [name: string]: unknown };
}

/** Larger numbers are not tried: a thousand turns or a million tasks take too long. */
const reasonable = 1_000;

/**
 * The defaults, then sets that change one option: to every other choice, to the other truth value, to its minimum and
 * to its maximum.
 */
export function optionSets(declaration: OptionsDeclaration): OptionSet[] {
  const { values } = checkOptions(declaration);
  const sets: OptionSet[] = [{ options: values }];
  for (const [name, option] of Object.entries(declaration)) {
    for (const value of otherValues(option)) {
      if (JSON.stringify(value) === JSON.stringify(option.default)) continue;
      sets.push({ label: `${name}: ${JSON.stringify(value)}`, options: { ...values, [name]: value } });
    }
  }
  return sets;
}

function otherValues(option: OptionDeclaration): readonly unknown[] {
  switch (option.type) {
    case 'boolean':
      return [!option.default];
    case 'choice':
      return option.choices;
    case 'integer':
    case 'number': {
      const { minimum, maximum } = option;
      const low = option.type === 'number' && option.exclusiveMinimum === true ? undefined : minimum;
      return [low, maximum].filter((value) => value !== undefined && Math.abs(value) <= reasonable);
    }
    case 'integers': {
      const { minimum, maximum, length = 1 } = option;
      const ends = [minimum, maximum].filter((value) => value !== undefined && Math.abs(value) <= reasonable);
      return ends.map((value) => Array.from({ length }, () => value));
    }
    case 'numbers':
    case 'string':
    case 'strings':
      // Only the author knows other valid values.
      return [];
  }
}
