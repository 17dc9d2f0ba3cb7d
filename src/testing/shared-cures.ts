import type { CheckDescription } from './conformance-kit.js';

// Why and cure of checks that several kinds of contributions share.
type Cure = Pick<CheckDescription, 'why' | 'cure'>;

export const clock: Cure = {
  why: 'Runs could not be repeated or resumed: the same seed would give other results at another time.',
  cure: 'Do not use the clock in anything that reaches the trainer. Count turns or steps instead of seconds.',
};
export const globalRandom: Cure = {
  why: 'Math.random has no seed: the same recipe would give different results each time.',
  cure: 'Draw from the `Random` that reset() or the call gets, or from `host.random`.',
};
export const globalState: Cure = {
  why: 'A run holds many instances of many plugins in one process. What one of them changes affects the others.',
  cure: 'Keep state in the instance, and undo registrations in dispose() or close().',
};
