// The one description of an ablation file; docs/reference/ablation.md is made of it.
import * as v from 'valibot';

import type { Json } from '../contracts/json.js';

const json = v.unknown() as unknown as v.GenericSchema<Json>;
const text = (description: string) => v.pipe(v.string(), v.nonEmpty(), v.description(description));
const whole = (minimum: number, description: string) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(minimum), v.description(description));
const words = v.regex(/^[a-zA-Z0-9]+([._-][a-zA-Z0-9]+)*$/, 'a name is words of letters and digits, joined by hyphens');
const name = v.pipe(v.string(), words);
const keyPath = v.pipe(
  v.string(),
  v.regex(/^[a-zA-Z][\w-]*(\.[a-zA-Z][\w-]*)*$/, 'a key of a recipe is written like `algorithm.groupSize`'),
);

const settings = v.record(keyPath, v.unknown()) as unknown as v.GenericSchema<Record<string, Json>>;

/** The schema of an ablation as it is written. */
export const ablationSchema = v.strictObject({
  ablationVersion: v.pipe(v.literal(1), v.description('Version of this format')),
  name: v.pipe(name, v.description("Begins the name of the ablation's folder")),
  question: v.exactOptional(text('What is to be found out, as a question')),
  recipe: v.exactOptional(
    text("The recipe that is varied: a built-in name, or a path relative to this file; absent: the project's"),
  ),
  set: v.optional(
    v.pipe(settings, v.description('Keys of the recipe that all cells share, such as `record.episodes: 0`')),
    {},
  ),
  seeds: v.optional(
    v.pipe(
      v.union([whole(1, 'Seeds'), v.pipe(v.array(whole(0, 'Seed')), v.minLength(1))]),
      v.description('How many seeds each cell is run with (1, 2, ...), or a list of them'),
    ),
    3,
  ),
  grid: v.exactOptional(
    v.pipe(
      v.record(
        keyPath,
        v.union([v.pipe(v.array(json), v.minLength(1)), v.pipe(v.record(name, json), v.minEntries(1))]),
      ),
      v.minEntries(1),
      v.description(
        'Values to try, by key of the recipe, such as `algorithm.groupSize: [4, 8, 16]`; or a map, whose keys name the values',
      ),
    ),
  ),
  design: v.optional(
    v.pipe(
      v.picklist(['full', 'one-at-a-time', 'paired', 'random']),
      v.description(
        'Which points of the grid are cells: all; the first values and each other value alone; the first of each list together, the second ...; `sample` of all, drawn',
      ),
    ),
    'full',
  ),
  sample: v.exactOptional(whole(1, 'Cells of `design: random`')),
  cells: v.exactOptional(
    v.pipe(
      v.record(name, settings),
      v.minEntries(1),
      v.description('Cells by name, each with the keys it sets; in the place of a grid, or beside it'),
    ),
  ),
  reference: v.exactOptional(text('The cell that the others are compared with; absent: the first')),
  compare: v.optional(
    v.pipe(v.picklist(['reference', 'all']), v.description('Each cell with the reference, or every pair')),
    'reference',
  ),
});

/** An ablation file, read and checked. */
export type AblationFile = v.InferOutput<typeof ablationSchema>;
