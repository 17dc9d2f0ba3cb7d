import { availableMemory } from '../processes/available-memory.js';
import type { Runner } from './runner.js';
import { trainInProcess } from './train-process.js';

/**
 * Trains runs on this machine, each in its own process.
 *
 * @param workers runs at the same time
 * @param checksMemory whether a run that needs more than its share of the memory that is available now is refused
 */
export function localRunner(workers: number, checksMemory: boolean): Runner {
  const { available } = availableMemory();
  return {
    workers,
    sharesDisk: true,
    train: (job, resume, listener, signal) => {
      const share = checksMemory ? Math.floor(available / (job.together ?? 1)) : null;
      return trainInProcess(job, resume, listener, signal, share);
    },
  };
}
