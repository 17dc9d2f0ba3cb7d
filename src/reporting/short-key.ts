/**
 * The end of a recipe's key that no other of these keys shares: `steps`, or `rl.steps` next to `stages.sft.steps`.
 *
 * @param keys the keys that are named together, including this one
 * @param least the fewest words: with 2, `stages.sft.demonstrations.count` is `demonstrations.count`
 */
export function shortKey(key: string, keys: readonly string[], least = 1): string {
  const words = key.split('.');
  // `options` says nothing about what follows it.
  for (let count = words.at(-2) === 'options' ? 1 : least; count < words.length; count += 1) {
    const end = words.slice(-count).join('.');
    if (!keys.some((other) => other !== key && `.${other}`.endsWith(`.${end}`))) return end;
  }
  return key;
}
