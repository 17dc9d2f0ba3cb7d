// How keys of a recipe or an ablation are described, so that a schema reads as a list of keys.
import * as v from 'valibot';

/** A value with its meaning. A schema with a pipe has a deeper type, and compilers of users stop at some depth. */
export function described<Schema extends v.GenericSchema>(schema: Schema, description: string): Schema {
  return v.pipe(schema, v.description(description)) as v.GenericSchema as Schema;
}

/** A key that may be absent. */
export function optional<Schema extends v.GenericSchema>(schema: Schema, description: string) {
  return v.exactOptional(described(schema, description));
}

/** A key that has a value if nobody writes one. */
export function withDefault<Schema extends v.GenericSchema, const Value extends v.InferInput<Schema>>(
  schema: Schema,
  value: Value,
  description: string,
) {
  return v.optional(described(schema, description), value);
}

/** A key that is true or false; false if nobody writes it. */
export const flag = (description: string) => withDefault(v.boolean(), false, description);

/** A whole number of at least `minimum`. */
export const whole = (minimum: number, description: string) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(minimum), v.description(description));
