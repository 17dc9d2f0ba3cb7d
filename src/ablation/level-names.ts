import type { Json } from '../contracts/json.js';
import { isSelfExplanatory, shownValues } from '../reporting/shown-values.js';

/** The name of a value of a grid's key, for people. */
export interface LevelName {
  /** `sparse`, `dense 0.5 + format`, `0.28`, `grpo clipHigh 0.2`. */
  readonly text: string;
  /** Whether the text is clear without its key: the name of a plugin is, a number is not. */
  readonly isName: boolean;
}

/** Distinct names for the values of one key of a grid. */
export function levelNames(key: string, values: readonly Json[]): readonly LevelName[] {
  const names = shownValues(values);
  return values.map((value, index) => ({ text: names[index] ?? '', isName: isSelfExplanatory(key, value) }));
}
