import type { Json, JsonObject } from '../contracts/json.js';
import type { OptionDeclaration, OptionsDeclaration } from '../contracts/options.js';

/** A JSON Schema (draft 2020-12) of what a declaration accepts, for editors and programs. */
export function optionsJsonSchema(declaration: OptionsDeclaration): JsonObject {
  const properties = Object.entries(declaration).map(([name, option]) => [
    name,
    { ...typeOf(option), description: option.description, default: option.default as Json },
  ]);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) as JsonObject };
}

function typeOf(option: OptionDeclaration): JsonObject {
  const nullable = (type: string) => (option.default === null ? [type, 'null'] : type);
  switch (option.type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
    case 'number':
      return { type: nullable(option.type), ...bounds(option) };
    case 'string':
      return { type: nullable('string') };
    case 'choice':
      return { enum: option.choices };
    case 'integers': {
      const length = option.length === undefined ? {} : { minItems: option.length, maxItems: option.length };
      return { type: 'array', items: { type: 'integer', ...bounds(option) }, ...length };
    }
    case 'numbers':
      return { type: 'array', items: { type: 'number', ...bounds(option) } };
    case 'strings':
      return { type: 'array', items: { type: 'string' } };
  }
}

function bounds(option: { minimum?: number; maximum?: number; exclusiveMinimum?: boolean }): JsonObject {
  const key = option.exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum';
  return {
    ...(option.minimum === undefined ? {} : { [key]: option.minimum }),
    ...(option.maximum === undefined ? {} : { maximum: option.maximum }),
  };
}
