// Each step of a running run changes only its own log, but comparing thirty runs takes much of a second. So comparisons
// are repeated only if a run has started, ended or has another result.
import { summarizeCells } from '../ablation/summarize-ablation.js';
import { compareGroups } from '../reports/report-cells.js';

/** `summarizeCells` with a cache of the last result. */
export function rememberSummary(): typeof summarizeCells {
  return rememberLast(summarizeCells, (directory, manifest, begun, { measure, temperature }) => [
    directory,
    manifest,
    measure,
    temperature,
    ...[...begun].flatMap(([folder, { status, manifest: of, result }]) => {
      return [folder, status, of.status, of.error?.message, result];
    }),
  ]);
}

/** `compareGroups` with a cache of the last result. */
export function rememberComparisons(): typeof compareGroups {
  return rememberLast(compareGroups, (groups) =>
    groups.flatMap(({ cell, runs }) => [
      cell.label,
      ...runs.flatMap(({ loaded }) => [loaded.directory, loaded.result]),
    ]),
  );
}

/** `partsOf`: everything that the value depends on. */
function rememberLast<Arguments extends readonly unknown[], Value>(
  make: (...given: Arguments) => Value,
  partsOf: (...given: Arguments) => readonly unknown[],
): (...given: Arguments) => Value {
  let last: { readonly parts: readonly unknown[]; readonly value: Value } | undefined;
  return (...given) => {
    const parts = partsOf(...given);
    const isSame = last?.parts.length === parts.length && parts.every((part, i) => part === last?.parts[i]);
    if (last === undefined || !isSame) last = { parts, value: make(...given) };
    return last.value;
  };
}
