/**
 * Whether a path with slashes fits a pattern of a data set's README: `*` stands for any characters of a name, `?` for one,
 * `[0-9]` for one of a range, and `**` for any number of folders.
 *
 * The pattern is somebody else's, so it does not become a regular expression: the time is the product of the lengths.
 */
export function matchesPattern(path: string, pattern: string): boolean {
  return fits(path.split('/'), pattern.split('/'), '**', (name, piece) =>
    fits([...name], piece.match(/\[[^\]]+\]|[^]/gu) ?? [], '*', isOneOf),
  );
}

/** Whether a sequence fits pieces, of which `star` stands for any number of items. */
function fits(
  items: readonly string[],
  pieces: readonly string[],
  star: string,
  fitsOne: (item: string, piece: string) => boolean,
): boolean {
  // The places in the pieces that the items so far lead to; behind a star also without an item.
  const reach = (places: Iterable<number>) => {
    const reached = new Set(places);
    for (const place of reached) if (pieces[place] === star) reached.add(place + 1);
    return reached;
  };
  let places = reach([0]);
  for (const item of items) {
    const next = [...places].flatMap((place) => {
      const piece = pieces[place];
      if (piece === star) return [place];
      return piece !== undefined && fitsOne(item, piece) ? [place + 1] : [];
    });
    places = reach(next);
  }
  return places.has(pieces.length);
}

function isOneOf(character: string, piece: string): boolean {
  if (piece === '?') return true;
  if (piece.length === 1 || !piece.startsWith('[')) return piece === character;
  const isNot = /^\[[!^]/.test(piece);
  const ranges = piece.slice(isNot ? 2 : 1, -1).matchAll(/(.)-(.)|(.)/gsu);
  const isIn = [...ranges].some(([, low, high, one]) =>
    one === undefined ? (low as string) <= character && character <= (high as string) : one === character,
  );
  return isIn !== isNot;
}
