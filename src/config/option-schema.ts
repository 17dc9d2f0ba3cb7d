import type { Json, JsonObject } from '../contracts/json.js';
import type { OptionDeclaration, OptionsDeclaration } from '../contracts/options.js';
import { optionTypes, type OptionLimits } from './option-types.js';

/** A JSON Schema (draft 2020-12) of what a declaration accepts, for editors and programs. */
export function optionsJsonSchema(declaration: OptionsDeclaration): JsonObject {
  const properties = Object.entries(declaration).map(([name, option]) => [
    name,
    { ...typeOf(option), description: option.description, default: option.default as Json },
  ]);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) as JsonObject };
}

function typeOf(option: OptionDeclaration): JsonObject {
  if (option.type === 'choice') return { enum: option.choices };
  const { item, isList } = optionTypes[option.type];
  const { length, ...limits } = option as OptionLimits;
  if (!isList) return { type: option.default === null ? [item.json, 'null'] : item.json, ...bounds(limits) };
  const size = length === undefined ? {} : { minItems: length, maxItems: length };
  return { type: 'array', items: { type: item.json, ...bounds(limits) }, ...size };
}

function bounds({ minimum, maximum, exclusiveMinimum = false }: OptionLimits): JsonObject {
  return {
    ...(minimum !== undefined && { [exclusiveMinimum ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}
