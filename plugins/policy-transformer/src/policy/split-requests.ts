import type { GenerateRequest } from '@agentgym/cli';

/**
 * Which core continues which request. A sequence stays where it is remembered; new ones fill up the cores to equal
 * shares in the order of the list, so that neighbours, who often share a prompt, stay together. A function of the
 * requests and of where earlier ones went, never of timing.
 * @param homes Where sequences live; new ones are added.
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
