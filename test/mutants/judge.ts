// The rule for every mutant: it is accepted, or refused with exit code 2, a place and a hint.
import { parse } from 'yaml';

/** The part of the document of `train --check --json` that is read here. */
interface CheckDocument {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly hint?: string;
    readonly file?: string;
    readonly path?: string;
  };
  readonly stages?: readonly { readonly episodes?: number; readonly demonstrations?: number }[];
}

/** Maximum processor seconds of a refusal or a check. */
export const longestSeconds = 5;

/** Problems in the answer to a mutant, in words; empty if there are none. */
export function offencesOf(code: number | null, document: CheckDocument | undefined, seconds: number): string[] {
  const { error } = document ?? {};
  const place = error?.file ?? error?.path;
  return [
    ...(code === 0 || code === 2 ? [] : [`exit code ${code}`]),
    ...(document === undefined ? ['no document'] : []),
    ...(code === 2 && (place === undefined || place === '') ? [`no place: ${error?.message}`] : []),
    ...(code === 2 && !error?.hint ? ['no hint'] : []),
    ...(code === 2 && (error?.message ?? '').length > 1500 ? ['a message of more than 1500 characters'] : []),
    ...((code === 0) === (error === undefined) ? [] : ['a document that does not fit the exit code']),
    ...(seconds > longestSeconds ? [`${seconds.toFixed(1)} s`] : []),
  ];
}

/** True if a step of an accepted mutant is fast, because nothing in it is large. */
export function isSmall(text: string, { stages = [] }: CheckDocument): boolean {
  const large = stages.some(({ episodes = 0, demonstrations = 0 }) => episodes > 64 || demonstrations > 64);
  return !large && costsOf(parse(text)).every((cost) => cost <= 100);
}

/** Keys that decide how much a step does, or for how long. */
const costly =
  /^(groupSize|epochs|minibatches|batchSize|tasksPerStep|count|tasks|episodesPerTask|maxActionTokens|turns|horizon|from|to)$/;

function costsOf(value: unknown, key = ''): number[] {
  if (typeof value === 'number') return costly.test(key) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => costsOf(inner, Array.isArray(value) ? key : name));
}
