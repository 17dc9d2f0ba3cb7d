import type { HostArray } from '../operations/tensor.js';
import type { HostArrays, RunOptions } from './executor.js';
import type { HostCache } from './host-cache.js';
import { addTo, type HostView } from './host-state.js';
import type { StateView } from './state.js';

/** The numbers of arrays that are read as one; `undefined` if the state does not have them. */
export function findState(state: readonly StateView[], names: readonly string[]): HostArray | undefined {
  return ownerOf(state, names[0]!)?.view(names);
}

/** What has the array of a name. */
export function ownerOf(state: readonly StateView[], name: string): HostView | undefined {
  // Executors on the CPU make host state only.
  return state.find((each) => each.has(name)) as HostView | undefined;
}

/** What a run computed for state, by its name. */
interface Changes {
  readonly assign: HostArrays;
  readonly add: HostArrays;
  readonly append: HostArrays;
}

/** Applies what a run computed to the state in the memory of the process. Throws if a state is missing. */
export function changeState({ assign, add, append }: Changes, options: RunOptions): void {
  const { state = [], appendTo, roundingSeed = 0 } = options;
  const changed = (name: string): Float32Array => {
    const found = findState(state, [name]);
    if (found === undefined) throw new Error(`state ${name} is missing`);
    // Only floating-point state changes.
    return found as Float32Array;
  };
  for (const [name, data] of Object.entries(assign)) {
    const owner = ownerOf(state, name);
    if (owner?.assign) owner.assign(name, data as Float32Array, roundingSeed);
    else changed(name).set(data);
  }
  for (const [name, data] of Object.entries(add)) {
    const owner = ownerOf(state, name);
    if (owner?.add) owner.add(name, data as Float32Array);
    else addTo(changed(name), data as Float32Array);
  }
  for (const [name, data] of Object.entries(append)) {
    if (appendTo === undefined) throw new Error(`the run does not say where ${name} goes`);
    (appendTo.cache as HostCache).append(name, data as Float32Array, appendTo.rows);
  }
}
