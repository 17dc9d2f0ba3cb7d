import type { RunPlan } from '../config/run-plan.js';
import { checkTraining } from '../experiments/check-training.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { availableMemory, type AvailableMemory } from '../processes/available-memory.js';
import { speedKey } from './estimate-cells.js';
import type { ResolvedCells } from './resolve-cells.js';

/**
 * Runs that fit into the available memory at the same time, at least 1 and at most `most`. The largest cell decides; of
 * cells with equal models and batches, one is looked at.
 */
export async function roomInMemory(
  { cells, plans }: ResolvedCells,
  most: number,
  host: PluginHost,
  settings: HostSettings,
  there: AvailableMemory = availableMemory(),
): Promise<number> {
  if (most === 1) return 1;
  let room = most;
  for (const { id } of new Map(cells.map((cell) => [speedKey(cell), cell])).values()) {
    try {
      const { memory } = await checkTraining(plans.get(id) as RunPlan, host, settings, { short: 'ignore', there });
      room = Math.min(room, Math.floor(there.available / memory.needed));
    } catch {
      // The run itself says what is wrong with it; the others go on.
    }
  }
  return Math.max(1, room);
}
