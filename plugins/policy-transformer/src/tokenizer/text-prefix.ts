/*
 * Some tokenizers write a space in front of a text (SentencePiece's dummy prefix): at the start of the whole text, or
 * behind every control token as well. A text that goes on behind other text gets none.
 */
import type { TokenizerJson } from './tokenizer-files.js';

type Part = { readonly type?: string; readonly [key: string]: unknown };

/** A tokenizer without its prefix, and where the prefix stands. */
export interface TextPrefix {
  /** `tokenizer.json` that puts no prefix in front of a text, and takes none from a decoded one. */
  readonly without: TokenizerJson;
  /** `tokenizer.json` with the prefix in front of each text. `without` itself if only the first text has one, or none. */
  readonly with: TokenizerJson;
  /** Only the start of the whole text has a prefix: `Metaspace` with `prepend_scheme: first`. */
  readonly onlyFirst: boolean;
}

/** Reads the prefix from the normalizer (`Prepend`) and from the pre-tokenizer (`Metaspace`, `ByteLevel`). */
export function readTextPrefix(json: TokenizerJson): TextPrefix {
  const given = { ...json, pre_tokenizer: mapPart(json.pre_tokenizer, splitAtSpaces) };
  const bare = {
    ...given,
    normalizer: mapPart(json.normalizer, (part) => (part.type === 'Prepend' ? undefined : part)),
    pre_tokenizer: mapPart(given.pre_tokenizer, withoutPrefix),
  };
  const prefixed =
    JSON.stringify([bare.normalizer, bare.pre_tokenizer]) !==
    JSON.stringify([json.normalizer ?? null, given.pre_tokenizer]);
  const onlyFirst = JSON.stringify(json.pre_tokenizer ?? null).includes('"prepend_scheme":"first"');
  const without = { ...bare, decoder: mapPart(json.decoder, keepPrefix) };
  return { without, with: onlyFirst || !prefixed ? without : given, onlyFirst };
}

/** Changes a part, or the parts of a sequence. A part that becomes undefined is left out. */
function mapPart(part: Part | null | undefined, change: (part: Part) => Part | undefined): Part | null {
  if (part === null || part === undefined) return null;
  for (const key of ['normalizers', 'pretokenizers', 'decoders']) {
    const parts = part[key] as readonly Part[] | undefined;
    if (part.type !== 'Sequence' || parts === undefined) continue;
    return { ...part, [key]: parts.map((one) => mapPart(one, change)).filter((one) => one !== null) };
  }
  return change(part) ?? null;
}

function withoutPrefix(part: Part): Part {
  if (part.type === 'Metaspace' && part['prepend_scheme'] !== 'never') {
    return { ...part, prepend_scheme: 'never', add_prefix_space: false };
  }
  return part.type === 'ByteLevel' && part['add_prefix_space'] === true ? { ...part, add_prefix_space: false } : part;
}

/** A decoder that leaves the space at the start of a text. */
function keepPrefix(part: Part): Part {
  if (part.type === 'Strip') return { ...part, start: 0 };
  if (part.type !== 'Metaspace') return part;
  return { type: 'Replace', pattern: { String: markOf(part) }, content: ' ' };
}

/** `Metaspace` also splits in front of each space, unless it says `split: false`. The library does not. */
function splitAtSpaces(part: Part): Part {
  if (part.type !== 'Metaspace' || part['split'] === false) return part;
  const mark = markOf(part).replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');
  const split = {
    type: 'Split',
    pattern: { Regex: `${mark}[^${mark}]*|[^${mark}]+` },
    behavior: 'Removed',
    invert: true,
  };
  return { type: 'Sequence', pretokenizers: [part, split] };
}

/** The character that `Metaspace` writes for a space. */
function markOf({ replacement }: Part): string {
  return typeof replacement === 'string' ? replacement : '\u2581';
}
