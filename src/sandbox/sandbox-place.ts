import type { Sandbox, SandboxOptions } from '../contracts/sandbox.js';
import type { GroupPlace } from './control-group.js';
import type { Owner, SandboxPrograms } from './sandbox-command.js';

/** Where a sandbox of bubblewrap is, as data for another thread. */
export interface BubblewrapPlace {
  readonly kind: 'bubblewrap';
  readonly id: string;
  readonly programs: SandboxPrograms;
  readonly owner: Owner;
  readonly options: SandboxOptions;
  /** A process in its namespaces, and its namespace of process ids. */
  readonly pid: number;
  readonly namespace: string;
  /** By which the system limits its programs. Absent: agentgym counts. */
  readonly group?: GroupPlace;
}

/** The same of a folder without isolation. */
export interface BarePlace {
  readonly kind: 'none';
  readonly id: string;
  readonly folder: string;
  readonly options: SandboxOptions;
}

export type SandboxPlace = BubblewrapPlace | BarePlace;

/** A sandbox that other threads of this process can enter. */
export interface PlacedSandbox extends Sandbox {
  readonly place: SandboxPlace;
}
