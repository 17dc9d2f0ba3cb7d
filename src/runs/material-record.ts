import * as v from 'valibot';

import type { FoundRequirement, Material } from '../contracts/requirement.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** Something that an environment of a run was made of: an interpreter, a Python package, a jar, a data file. */
export const materialSchema = v.object({
  /** The environment, as the recipe names it. */
  environment: v.string(),
  /** Unique in its environment. A package of a Python is called `python/numpy`. */
  name: v.string(),
  version: v.exactOptional(v.string()),
  /** SHA-256 of its content. Absent: a package that was installed without a list of its files. */
  sha256: v.exactOptional(v.string()),
});
export type MaterialRecord = Readonly<v.InferOutput<typeof materialSchema>>;

/** What an environment was made of: what it requires, and what its world says. */
export function materialsOf(
  environment: string,
  found: readonly FoundRequirement[],
  materials: readonly Material[],
): MaterialRecord[] {
  const required = found.flatMap(({ name, packages = {}, sha256, version }): Omit<MaterialRecord, 'environment'>[] => [
    { name, ...(version !== undefined && { version }), sha256 },
    ...Object.entries(packages).map(([own, installed]) => ({ name: `${name}/${own}`, ...installed })),
  ]);
  return [...required, ...materials].map((one) => ({ environment, ...one }));
}

/**
 * Throws AG_RESUME_MISMATCH if a run would go on with other materials than it began with.
 *
 * @param before absent: a new run
 */
export function refuseOtherMaterials(
  { run, manifest }: { readonly run: string; readonly manifest: string },
  before: readonly MaterialRecord[] | undefined,
  now: readonly MaterialRecord[],
): void {
  if (before === undefined) return;
  const problem = differenceOf(before, now);
  if (problem === undefined) return;
  throw new AgentgymError('AG_RESUME_MISMATCH', {
    message: `The run ${run} cannot go on: ${problem}.`,
    hint: 'Put back what it began with, or start a new run.',
    file: manifest,
    path: 'materials',
  });
}

function differenceOf(before: readonly MaterialRecord[], now: readonly MaterialRecord[]): string | undefined {
  const keyOf = ({ environment, name }: MaterialRecord) => JSON.stringify([environment, name]);
  const present = new Map(now.map((one) => [keyOf(one), one]));
  for (const one of before) {
    const whose = `\`${one.name}\` of the environment \`${one.environment}\``;
    const other = present.get(keyOf(one));
    present.delete(keyOf(one));
    if (other === undefined) return `it was made with ${whose}, which is not used now`;
    if (other.version !== one.version)
      return `${whose} was ${one.version ?? 'unknown'}, and is ${other.version ?? 'unknown'} now`;
    if (other.sha256 !== one.sha256)
      return `${whose} changed: its SHA-256 was ${one.sha256}, and is ${other.sha256} now`;
  }
  const [added] = present.values();
  return added && `it was made without \`${added.name}\` of the environment \`${added.environment}\``;
}
