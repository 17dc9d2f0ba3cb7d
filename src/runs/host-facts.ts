import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** The machine of a run, without facts that identify its owner. */
export function hostFacts() {
  return {
    platform: process.platform as string,
    release: release(),
    architecture: process.arch as string,
    processor: cpus()[0]?.model ?? 'unknown',
    /** Cores this process may use. */
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    node: process.version,
  };
}

export type HostFacts = Readonly<ReturnType<typeof hostFacts>>;
