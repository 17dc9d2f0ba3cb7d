/*
 * The library splits by what JavaScript calls white space and digits: `\s` has U+FEFF and lacks U+0085, `\d` and `\w` know only ASCII.
 * `tokenizers` and llama.cpp ask Unicode. The library reads the patterns of `Split` as `tokenizers` does, so each step with a pattern
 * of its own becomes one.
 */
type Part = { readonly type?: string; readonly [key: string]: unknown };

/** GPT-2's words. */
const words = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
/** `\w` of Rust. */
const inWords = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';

/** A pre-tokenizer of tokenizer.json that gives the words of `tokenizers` in the library. */
export function splitAsRust(part: Part | null | undefined): Part | null {
  if (part === null || part === undefined) return null;
  const steps = stepsOf(part);
  return steps.length === 1 ? steps[0]! : { type: 'Sequence', pretokenizers: steps };
}

function stepsOf(part: Part): readonly Part[] {
  switch (part.type) {
    case 'Sequence':
      return (part['pretokenizers'] as readonly Part[]).flatMap(stepsOf);
    case 'Digits':
      return [keep(part['individual_digits'] === true ? '\\p{N}|\\P{N}+' : '\\p{N}+|\\P{N}+')];
    case 'Whitespace':
      return [keep(`[${inWords}]+|[^${inWords}\\s]+`)];
    case 'WhitespaceSplit':
      return [keep('\\S+')];
    case 'ByteLevel':
      if (part['use_regex'] === false) return [part];
      return [
        // Puts a space in front of the text, before the words are found.
        ...(part['add_prefix_space'] === true
          ? [{ type: 'Metaspace', replacement: ' ', prepend_scheme: 'always' }]
          : []),
        keep(words),
        { ...part, add_prefix_space: false, use_regex: false },
      ];
    default:
      return [part];
  }
}

/** Keeps what the pattern finds. */
function keep(pattern: string): Part {
  return { type: 'Split', pattern: { Regex: pattern }, behavior: 'Removed', invert: true };
}
