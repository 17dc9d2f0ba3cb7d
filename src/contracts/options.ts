import type { Json } from './json.js';
import type { OptionGroup, OptionGroups } from './option-groups.js';

/**
 * Options of a plugin's contribution, declared once as plain data. The host derives validation, defaults, help and JSON
 * Schema from the declaration. The code of the contribution gets the type by `OptionsOf<typeof options>`.
 *
 * @example
 * ```ts
 * // options.ts
 * import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';
 *
 * export const options = {
 *   sides: { type: 'integer', minimum: 2, maximum: 100, default: 6, description: 'Sides of the die', axis: true },
 *   reply: { type: 'choice', choices: ['side', 'none'], default: 'side', description: 'What a guess is answered with' },
 * } as const satisfies OptionsDeclaration;
 *
 * export type Options = OptionsOf<typeof options>; // { readonly sides: number; readonly reply: 'side' | 'none' }
 * ```
 */
export type OptionsDeclaration = { readonly [name: string]: OptionDeclaration };

/**
 * Options of an algorithm: its own, and groups that algorithms share, each in its place in the list.
 *
 * @example
 * ```ts
 * // grouped-options.ts
 * import type { GroupedOptions, OptionsOf } from '@agentgym/cli';
 *
 * export const options = {
 *   memory: { type: 'number', minimum: 0, maximum: 1, default: 0.9, description: 'Share of the baseline that stays' },
 *   clip: { group: 'clip', without: ['dualClip'] },
 *   kl: { group: 'kl', change: { klIn: { default: 'reward' }, klEstimator: { default: 'k1' } } },
 * } as const satisfies GroupedOptions;
 *
 * export type Options = OptionsOf<typeof options>; // { memory, clipLow, clipHigh, klCoefficient, klIn, ... }
 * ```
 */
export type GroupedOptions = { readonly [name: string]: OptionDeclaration | OptionGroup };

/** Members that every option has. */
interface OptionCommon {
  /** One sentence for help and documentation. */
  readonly description: string;
  /**
   * True if this option changes the complexity of the tasks: `ablate complexity` and `ablate transfer` vary it. It has an
   * effect for environments only; an ablation file can vary the options of every kind.
   */
  readonly axis?: boolean;
  /**
   * Values of an axis from easy to hard. `ablate complexity` and `ablate transfer` try them unless the user gives
   * other values.
   */
  readonly levels?: readonly Json[];
  /**
   * True if this option of a policy says how something is computed and not what: an engine, threads, memory. A run may be
   * resumed with another value, and only its last bits may differ. Of a reward: it says how a judge is asked, and not what. A
   * run may be resumed with another value, and what was judged before counts.
   */
  readonly resumable?: boolean;
  /** True if this option of a policy is its number of threads. Runs side by side on one machine get 1 each. */
  readonly threads?: boolean;
}

/** True or false. */
export interface BooleanOption extends OptionCommon {
  readonly type: 'boolean';
  readonly default: boolean;
}

/** A whole number; `null` as a default means "not set". */
export interface IntegerOption extends OptionCommon {
  readonly type: 'integer';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default: number | null;
}

/** A finite number; `null` as a default means "not set". */
export interface NumberOption extends OptionCommon {
  readonly type: 'number';
  readonly minimum?: number;
  readonly maximum?: number;
  /** The minimum itself is not allowed. */
  readonly exclusiveMinimum?: boolean;
  readonly default: number | null;
}

/** Text; `null` as a default means "not set". */
export interface StringOption extends OptionCommon {
  readonly type: 'string';
  readonly default: string | null;
}

/** One word of a fixed list. */
export interface ChoiceOption extends OptionCommon {
  readonly type: 'choice';
  readonly choices: readonly string[];
  readonly default: string;
}

/** A list of whole numbers, each within the bounds. */
export interface IntegersOption extends OptionCommon {
  readonly type: 'integers';
  readonly minimum?: number;
  readonly maximum?: number;
  /** Exactly this many numbers. */
  readonly length?: number;
  readonly default: readonly number[];
}

/** A list of finite numbers, each within the bounds. */
export interface NumbersOption extends OptionCommon {
  readonly type: 'numbers';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default: readonly number[];
}

/** A list of strings. */
export interface StringsOption extends OptionCommon {
  readonly type: 'strings';
  readonly default: readonly string[];
}

/** One option of a declaration. */
export type OptionDeclaration =
  | BooleanOption
  | IntegerOption
  | NumberOption
  | StringOption
  | ChoiceOption
  | IntegersOption
  | NumbersOption
  | StringsOption;

type Nullable<Declaration extends { readonly default: unknown }, Value> = null extends Declaration['default']
  ? Value | null
  : Value;

type OptionValue<D extends OptionDeclaration> = D extends BooleanOption
  ? boolean
  : D extends IntegerOption | NumberOption
    ? Nullable<D, number>
    : D extends ChoiceOption
      ? D['choices'][number]
      : D extends StringOption
        ? Nullable<D, string>
        : D extends IntegersOption | NumbersOption
          ? readonly number[]
          : D extends StringsOption
            ? readonly string[]
            : never;

type Changed<Value, Change> =
  | (Change extends { readonly choices: readonly (infer Choice)[] } ? Choice : Value)
  | (Change extends { readonly default: null } ? null : never);

type ChangeOf<Entry, Name> = Entry extends { readonly change: { readonly [Key in Name & PropertyKey]: infer Change } }
  ? Change
  : unknown;

type WithoutOf<Entry> = Entry extends { readonly without: readonly (infer Name)[] } ? Name : never;

/** The option names of a group, each with the type of its value. */
type GroupPairs<Entry extends OptionGroup> = {
  [Name in Exclude<keyof OptionGroups[Entry['group']], WithoutOf<Entry>>]: [
    Name,
    Changed<OptionGroups[Entry['group']][Name], ChangeOf<Entry, Name>>,
  ];
}[Exclude<keyof OptionGroups[Entry['group']], WithoutOf<Entry>>];

type Pairs<D extends GroupedOptions> = {
  [Name in keyof D]: D[Name] extends OptionGroup
    ? GroupPairs<D[Name]>
    : D[Name] extends OptionDeclaration
      ? [Name, OptionValue<D[Name]>]
      : never;
}[keyof D];

/** The values that code gets for a declaration: every option is present, with defaults filled in. */
export type OptionsOf<D extends GroupedOptions> = {
  readonly [Pair in Pairs<D> as Pair[0]]: Pair[1];
};

/** A finding of a contribution about its options: the place, the problem and the fix. */
export interface OptionFinding {
  /** Keys inside the options, for example `['low']`. */
  readonly path: readonly string[];
  readonly message: string;
  /** The value to write instead. */
  readonly hint: string;
  /** The option has no effect because of others. It is refused only if the user wrote it, never as a default. */
  readonly idle?: boolean;
}
