/** Longer texts rarely come twice. */
const LONGEST = 256;
const MOST_TEXTS = 16_384;

/** The same function, which remembers what it gave for short texts: environments and templates repeat them. */
export function remember<Value>(compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = compute(text);
    if (text.length <= LONGEST) {
      if (known.size >= MOST_TEXTS) known.clear();
      known.set(text, value);
    }
    return value;
  };
}
