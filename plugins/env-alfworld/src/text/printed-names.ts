import type { Setting } from '../engine/setting.js';

/**
 * The names that texts use: `mug 2` for `mug_bar__plus_01_...`. Ids of one kind get their numbers from the highest down
 * in the order of the ids, and only things with a fact at the start are counted. An id without `_bar_` is its own name,
 * with a blank behind it, as ALFWorld's `Demangler` leaves one (alfworld/agents/utils/misc.py).
 */
export function printedNames({ names, isMentioned }: Setting): readonly string[] {
  const kinds = names.map(kindOf);
  const counts = new Map<string, number>();
  kinds.forEach((kind, thing) => {
    if (kind !== undefined && isMentioned[thing]) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  });
  return kinds.map((kind, thing) => {
    const left = kind === undefined || !isMentioned[thing] ? undefined : counts.get(kind);
    if (kind === undefined || left === undefined) return `${spell(names[thing] as string)} `;
    counts.set(kind, left - 1);
    return `${kind} ${left}`;
  });
}

/** `sinkbasin` for ids with `basin` anywhere in them: a basin has the id of its sink and more. */
function kindOf(id: string): string | undefined {
  const end = id.indexOf('_bar_');
  if (end === -1) return undefined;
  return spell(id.slice(0, end)) + (id.includes('basin') ? 'basin' : '');
}

function spell(text: string): string {
  const signs = { _minus_: '-', _plus_: '+', _dot_: '.', _comma_: ',' };
  return Object.entries(signs).reduce((spelled, [word, sign]) => spelled.replaceAll(word, sign), text);
}
