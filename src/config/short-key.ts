/**
 * The end of a recipe's key that no other of these keys shares: `steps`, or `rl.steps` beside `stages.sft.steps`.
 *
 * @param keys those that are named together, the key among them
 */
export function shortKey(key: string, keys: readonly string[]): string {
  const words = key.split('.');
  for (let count = 1; count < words.length; count += 1) {
    const end = words.slice(-count).join('.');
    if (!keys.some((other) => other !== key && `.${other}`.endsWith(`.${end}`))) return end;
  }
  return key;
}
