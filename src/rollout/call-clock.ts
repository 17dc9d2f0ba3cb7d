import type { EnvironmentPhase } from '../contracts/environment.js';
import type { CallTimes } from './world-handle.js';

export const environmentPhases = [
  'open',
  'create',
  'reset',
  'step',
  'act',
  'conclude',
  'dispose',
  'close',
] as const satisfies readonly EnvironmentPhase[];

/** Adds up the number and the time of a world's calls, by phase. */
export class CallClock {
  readonly #calls = new Float64Array(environmentPhases.length);
  readonly #milliseconds = new Float64Array(environmentPhases.length);

  add(phase: EnvironmentPhase, milliseconds: number): void {
    const index = environmentPhases.indexOf(phase);
    this.#calls[index]! += 1;
    this.#milliseconds[index]! += milliseconds;
  }

  times(): CallTimes {
    const entries = environmentPhases.map((phase, index) => [
      phase,
      { calls: this.#calls[index] ?? 0, milliseconds: this.#milliseconds[index] ?? 0 },
    ]);
    return Object.fromEntries(entries) as CallTimes;
  }
}
