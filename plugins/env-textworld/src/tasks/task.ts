import type { Adventure } from '../adventure.js';

/** A task that can be played. */
export interface Task {
  readonly id: string;
  begin(): Adventure;
}
