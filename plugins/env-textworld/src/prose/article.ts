/** What decides about the articles of a thing; `null`: the usual ones, an empty text: none. */
export interface Named {
  readonly name: string;
  readonly indefinite: string | null;
  readonly definite: string | null;
}

/** `a lamp`, `an apple`, `some milk`, by the first letter as compiled stories do. */
export function withIndefinite({ name, indefinite }: Named): string {
  if (indefinite === '') return name;
  return `${indefinite ?? (/^[aeiou]/i.test(name) ? 'an' : 'a')} ${name}`;
}

/** `the lamp`. */
export function withDefinite({ name, definite }: Named): string {
  return definite === '' ? name : `${definite ?? 'the'} ${name}`;
}

/** The text with its first letter large. */
export function withCapital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
