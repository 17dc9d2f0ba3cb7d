import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** The machine of a run, without facts that identify its owner. */
export interface HostFacts {
  readonly platform: string;
  readonly release: string;
  readonly architecture: string;
  readonly processor: string;
  /** Cores this process may use. */
  readonly cores: number;
  readonly memoryBytes: number;
  readonly node: string;
}

export function hostFacts(): HostFacts {
  return {
    platform: process.platform,
    release: release(),
    architecture: process.arch,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    node: process.version,
  };
}
