import type { GenerateRequest } from '@agentgym/cli';

/**
 * The tokens of a context that cost as much to attend to as the rest of a layer costs for a new token. A layer of width d has about
 * 12 d^2 weights, and attention makes 2 d products for each token of the context: 6 d, for small models of width 64 to 128.
 */
const TOKEN_COST = 512;

/**
 * Assigns requests to cores. A sequence stays on the core that remembers it. New sequences fill up the cores to equal
 * loads in the order of the list, so that neighbours, which often share a prompt, stay together. Long contexts weigh more:
 * counted alike, those that go on for long would gather on one core while short ones come and go on the other. The result
 * depends on the requests and the cores of earlier ones, never on timing.
 * @param homes The core of each sequence. New sequences are added.
 */
export function splitRequests(
  requests: readonly GenerateRequest[],
  cores: number,
  homes: Map<string, number>,
): number[][] {
  const shares = Array.from({ length: cores }, (): number[] => []);
  const loads = Array.from({ length: cores }, () => 0);
  const fresh: number[] = [];
  const give = (index: number, core: number) => {
    shares[core]!.push(index);
    loads[core]! += loadOf(requests[index]!);
  };
  for (const [index, { sequence }] of requests.entries()) {
    const home = homes.get(sequence);
    if (home === undefined) fresh.push(index);
    else give(index, home);
  }
  const equal = requests.reduce((sum, request) => sum + loadOf(request), 0) / cores;
  let core = 0;
  for (const index of fresh) {
    // A core is full where less than half of the request would fit below the equal load.
    while (core < cores - 1 && loads[core]! + loadOf(requests[index]!) / 2 > equal) core += 1;
    give(index, core);
    homes.set(requests[index]!.sequence, core);
  }
  return shares;
}

function loadOf({ tokens }: GenerateRequest): number {
  return TOKEN_COST + tokens.length;
}
