// The only description of an ablation file; docs/reference/ablation.md is generated from it.
import * as v from 'valibot';

import type { Json } from '../contracts/json.js';
import { flag, optional, whole, withDefault, described } from './schema-parts.js';

const json = v.unknown() as unknown as v.GenericSchema<Json>;
const text = (description: string) => v.pipe(v.string(), v.nonEmpty(), v.description(description));
const words = v.regex(
  /^[a-zA-Z0-9]+([._-][a-zA-Z0-9]+)*$/,
  'a name must be words of letters and digits, joined by hyphens',
);
const name = v.pipe(v.string(), words);
const keyPath = v.pipe(
  v.string(),
  v.regex(/^[a-zA-Z][\w-]*(\.[a-zA-Z][\w-]*)*$/, 'a key of a recipe is written like `algorithm.groupSize`'),
);

const settings = v.record(keyPath, v.unknown()) as unknown as v.GenericSchema<Record<string, Json>>;

/** The schema of an ablation as it is written. */
export const ablationSchema = v.strictObject({
  ablationVersion: described(v.literal(1), 'Version of this format'),
  name: described(name, "Begins the name of the ablation's folder"),
  question: v.exactOptional(text('The question that the ablation answers')),
  recipe: v.exactOptional(
    text("Recipe to vary: a built-in name, or a path relative to this file; default: the project's"),
  ),
  set: withDefault(settings, {}, 'Keys of the recipe that all cells share, such as `record.episodes: 0`'),
  seeds: withDefault(
    v.union([whole(1, 'Seeds'), v.pipe(v.array(whole(0, 'Seed')), v.minLength(1))]),
    3,
    'Number of seeds per cell (1, 2, ...), or a list of seeds',
  ),
  grid: optional(
    v.pipe(
      v.record(
        keyPath,
        v.union([v.pipe(v.array(json), v.minLength(1)), v.pipe(v.record(name, json), v.minEntries(1))]),
      ),
      v.minEntries(1),
    ),
    'Values to try, by key of the recipe, such as `algorithm.groupSize: [4, 8, 16]`; or a map whose keys name the values',
  ),
  design: withDefault(
    v.picklist(['full', 'one-at-a-time', 'paired', 'random']),
    'full',
    'Points of the grid that become cells. `full`: all. `one-at-a-time`: the first values, and each other value alone. `paired`: the first values of all lists, then the second values, and so on. `random`: `sample` random points',
  ),
  sample: v.exactOptional(whole(1, 'Number of cells of `design: random`')),
  cells: optional(
    v.pipe(v.record(name, settings), v.minEntries(1)),
    'Cells by name, each with the keys it sets; instead of a grid, or in addition',
  ),
  reference: v.exactOptional(text('The cell to compare the others with; default: the first')),
  compare: optional(
    v.picklist(['reference', 'all']),
    'Compare each cell with the reference, or every pair; default: `reference`',
  ),
  transfer: flag(
    'Test each cell also on the environments of all other cells, each at its own horizon, and compare it there with the cell that trained on it',
  ),
});

/** An ablation file, read and checked. */
export type AblationFile = v.InferOutput<typeof ablationSchema>;
