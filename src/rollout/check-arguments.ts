import type { Json } from '../contracts/json.js';

type Schema = { readonly [key: string]: Json };

/**
 * Why arguments do not fit the schema of a function: a clause that the agent sees. Checks the outer members only: that
 * they are there if `required`, known if `additionalProperties` is false, of their `type`, and one of their `enum`. What is
 * inside of them is the callee's to check.
 */
export function argumentProblem(values: { readonly [name: string]: Json }, schema: Schema): string | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const known = properties as { readonly [name: string]: Schema };
  const missing = (required as readonly string[]).find((name) => !Object.hasOwn(values, name));
  if (missing !== undefined) return `the argument ${JSON.stringify(missing)} is missing`;
  for (const [name, value] of Object.entries(values)) {
    const shown = JSON.stringify(name.slice(0, 64));
    if (!Object.hasOwn(known, name)) {
      if (additionalProperties === false) return `there is no argument ${shown}`;
      continue;
    }
    const { type, enum: choices } = known[name] as Schema;
    const types = [type ?? []].flat() as readonly string[];
    if (types.length > 0 && !types.some((one) => isOfType(value, one))) return `${shown} must be ${types.join(' or ')}`;
    if (Array.isArray(choices) && !choices.some((one) => one === value)) {
      return `${shown} must be one of ${choices.map((one) => JSON.stringify(one)).join(', ')}`;
    }
  }
  return undefined;
}

function isOfType(value: Json, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
