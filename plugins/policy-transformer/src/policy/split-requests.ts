import type { GenerateRequest } from '@agentgym/cli';

/**
 * Assigns requests to cores. A sequence stays on the core that remembers it. New sequences fill up the cores to equal
 * shares in the order of the list, so that neighbours, which often share a prompt, stay together. The result depends on
 * the requests and the cores of earlier ones, never on timing.
 * @param homes The core of each sequence. New sequences are added.
 */
export function splitRequests(
  requests: readonly GenerateRequest[],
  cores: number,
  homes: Map<string, number>,
): number[][] {
  const shares = Array.from({ length: cores }, (): number[] => []);
  const fresh: number[] = [];
  for (const [index, { sequence }] of requests.entries()) {
    const home = homes.get(sequence);
    if (home === undefined) fresh.push(index);
    else shares[home]!.push(index);
  }
  const quota = Math.ceil(requests.length / cores);
  let core = 0;
  for (const index of fresh) {
    while (core < cores - 1 && shares[core]!.length >= quota) core += 1;
    shares[core]!.push(index);
    homes.set(requests[index]!.sequence, core);
  }
  return shares;
}
