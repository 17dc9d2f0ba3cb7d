import type { RunnerRequest } from '../open-runner.js';
import type { RayAddress } from './ray-address.js';
import type { RayOptions } from './ray-options.js';

/** A request for this runner, checked. */
export interface RaySettings extends Omit<RunnerRequest, 'name' | 'localWorkers' | 'address' | 'options'> {
  readonly address: RayAddress;
  readonly options: RayOptions;
}
