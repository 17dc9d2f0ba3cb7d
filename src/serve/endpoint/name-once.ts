/** Names members of requests that are ignored, each once. */
export function nameOnce(log: (message: string) => void): (names: readonly string[]) => void {
  const named = new Set<string>();
  return (names) => {
    for (const name of names) {
      if (named.has(name)) continue;
      named.add(name);
      log(`Requests have \`${name}\`, which has no effect here.`);
    }
  };
}
