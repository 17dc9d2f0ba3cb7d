import type { SandboxOptions } from '../contracts/sandbox.js';
import { enterBareSandbox, openBareSandbox } from './bare-sandbox.js';
import { enterSandbox, openSandbox } from './open-sandbox.js';
import type { PlacedSandbox, SandboxPlace } from './sandbox-place.js';

/** How programs are kept apart; `none` runs them without isolation. */
export type SandboxKind = SandboxPlace['kind'];

/**
 * Opens a sandbox of a kind.
 *
 * @param id names it for records. Absent: a random name
 * @throws AG_SANDBOX
 */
export function openChosenSandbox(
  kind: SandboxKind,
  options: SandboxOptions,
  signal: AbortSignal,
  id?: string,
): Promise<PlacedSandbox> {
  return kind === 'none' ? openBareSandbox(options, id) : openSandbox(options, signal, id);
}

/** A sandbox that another thread holds open. Programs of only one thread may run in it at a time. */
export function enterChosenSandbox(place: SandboxPlace): PlacedSandbox {
  return place.kind === 'none' ? enterBareSandbox(place) : enterSandbox(place);
}
