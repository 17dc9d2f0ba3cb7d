import * as v from 'valibot';

import { readWholeFile, readWholeFileSync } from './read-whole-file.js';

/**
 * A JSON document of agentgym that may be made anew; undefined if it is missing, unreadable, or has another shape.
 *
 * @param limits see `readWholeFile`
 */
export async function readKnownJson<Schema extends v.GenericSchema>(
  schema: Schema,
  ...[path, ...limits]: Parameters<typeof readWholeFile>
): Promise<v.InferOutput<Schema> | undefined> {
  const content = await readWholeFile(path, ...limits).catch(() => undefined);
  return content && parseKnown(schema, content.toString('utf8'));
}

/** Like `readKnownJson`. */
export function readKnownJsonSync<Schema extends v.GenericSchema>(
  schema: Schema,
  path: string,
): v.InferOutput<Schema> | undefined {
  try {
    return parseKnown(schema, readWholeFileSync(path).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The value of a JSON text; undefined if it is no JSON, or has another shape. */
export function parseKnown<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
): v.InferOutput<Schema> | undefined {
  try {
    const { output, success } = v.safeParse(schema, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}
