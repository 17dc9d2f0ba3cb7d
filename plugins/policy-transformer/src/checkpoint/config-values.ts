/** A parsed config.json, or a part of it. */
export type ConfigJson = { readonly [key: string]: unknown };

/** Sizes of models fit 32 bits. */
const mostCounts = 2 ** 31 - 1;

/** A positive whole number up to `most`. Throws an error that names the key. */
export function count(config: ConfigJson, key: string, otherwise?: number, most = mostCounts): number {
  const value = config[key] ?? otherwise;
  if (Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= most) return value as number;
  throw refusal(
    value === undefined
      ? `${key} is missing`
      : `${key} must be a positive whole number up to ${most}, not ${show(value)}`,
  );
}

/** Larger than any base of rotary angles, and small enough that no product leaves float32. */
const largestNumber = 1e12;

/** A positive number up to 1e12. Throws an error that names the key. */
export function positive(config: ConfigJson, key: string, otherwise?: number): number {
  const value = config[key] ?? otherwise;
  if (typeof value === 'number' && value > 0 && value <= largestNumber) return value;
  const wanted = `a positive number up to ${largestNumber}`;
  throw refusal(value === undefined ? `${key} is missing` : `${key} must be ${wanted}, not ${show(value)}`);
}

/** An object; empty if there is none. Throws an error that names the key. */
export function section(config: ConfigJson, key: string): ConfigJson {
  const value = config[key] ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as ConfigJson;
  throw refusal(`${key} must be an object, not ${show(value)}`);
}

/** True or false. Throws an error that names the key. */
export function flag(config: ConfigJson, key: string, otherwise: boolean): boolean {
  const value = config[key] ?? otherwise;
  if (typeof value === 'boolean') return value;
  throw refusal(`${key} must be true or false, not ${show(value)}`);
}

/** An entry for each layer out of `allowed`; `undefined` if there is no list. Throws an error that names the key. */
export function entryPerLayer<Entry extends string | number>(
  config: ConfigJson,
  key: string,
  layers: number,
  allowed: readonly Entry[],
): readonly Entry[] | undefined {
  const value = config[key];
  if (value == null) return undefined;
  if (!Array.isArray(value) || value.length < layers) {
    throw refusal(`${key} must be a list with an entry for each of ${layers} layers, not ${show(value)}`);
  }
  return value.slice(0, layers).map((entry: unknown) => {
    const known = allowed.find((one) => one === entry);
    if (known === undefined) throw refusal(`${key} has ${show(entry)}; supported: ${allowed.map(show).join(', ')}`);
    return known;
  });
}

export function show(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}

export function refusal(cause: string): Error {
  return new Error(`config.json: ${cause}`);
}
