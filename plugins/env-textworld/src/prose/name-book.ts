/**
 * The names of a game. Nobody who says a whole name means anything else: no name has all words of another one, in any
 * order.
 */
export class NameBook {
  private readonly namesByWord = new Map<string, ReadonlySet<string>[]>();

  /** Whether the name can be added: it has not all words of a name in the book, nor the other way round. */
  isFree(name: string): boolean {
    const words = wordsOf(name);
    for (const word of words) {
      for (const other of this.namesByWord.get(word) ?? []) {
        const [fewer, more] = words.size <= other.size ? [words, other] : [other, words];
        let isPart = true;
        for (const each of fewer) if (!more.has(each)) isPart = false;
        if (isPart) return false;
      }
    }
    return true;
  }

  add(name: string): void {
    const words = wordsOf(name);
    for (const word of words) {
      const names = this.namesByWord.get(word);
      if (names) names.push(words);
      else this.namesByWord.set(word, [words]);
    }
  }
}

function wordsOf(name: string): ReadonlySet<string> {
  return new Set(
    name
      .toLowerCase()
      .split(' ')
      .filter((word) => word !== ''),
  );
}
