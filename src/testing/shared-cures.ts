import type { CheckDescription } from './conformance-kit.js';

// Why and cure of checks that several kinds of contributions have.
type Cure = Pick<CheckDescription, 'why' | 'cure'>;

export const clock: Cure = {
  why: 'A run could not be repeated or resumed: the same seed would give other results at another time.',
  cure: 'Leave the clock out of whatever reaches the trainer; count turns or steps instead of seconds.',
};
export const globalRandom: Cure = {
  why: 'Math.random has no seed: the same recipe would give other results each time.',
  cure: 'Draw from the `Random` that reset() or the call is given, or from `host.random` where there is one.',
};
export const globalState: Cure = {
  why: 'A run holds many instances of many plugins in one process: what one leaves behind, the others stumble over.',
  cure: 'Keep state in the instance, and undo in dispose() or close() what was registered.',
};
