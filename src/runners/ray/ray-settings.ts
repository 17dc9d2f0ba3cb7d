import type { RayAddress } from './ray-address.js';
import type { RayOptions } from './ray-options.js';

export interface RaySettings {
  readonly address: RayAddress;
  readonly options: RayOptions;
  /** Runs at the same time. Absent: as many as the cluster has cores and GPUs for. */
  readonly workers?: number;
  readonly checksMemory: boolean;
  readonly version: string;
  /** The folder of a project whose files jobs need. Absent: none. */
  readonly project?: string;
  /** Says what the user should know while runs wait. */
  readonly tell: (message: string) => void;
  readonly environment: { readonly [name: string]: string | undefined };
}
