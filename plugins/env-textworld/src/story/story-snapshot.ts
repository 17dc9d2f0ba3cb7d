import { deflateRawSync, inflateRawSync } from 'node:zlib';

import type { OutputState, ReadRequest } from './interpreter.js';
import type { Machine } from './machine.js';
import { StoryError } from './story-error.js';
import type { StoryScreen, Waiting } from './story-screen.js';

/** The whole state of a game that waits for input, as JSON. */
export interface StorySnapshot {
  /** Says of which story the snapshot is. */
  readonly story: string;
  /** Memory that differs from the story's file, and the stack; packed. */
  readonly memory: string;
  readonly stack: string;
  readonly frames: readonly number[];
  readonly frame: number;
  readonly top: number;
  readonly next: number;
  readonly seed: number;
  readonly restarts: number;
  readonly output: string;
  readonly read: string;
  readonly upper: readonly string[] | null;
  readonly waiting: Waiting;
}

/** The state of a game. `original` are the bytes of its story. */
export function takeSnapshot(name: string, original: Uint8Array, machine: Machine, screen: StoryScreen): StorySnapshot {
  return {
    story: name,
    memory: pack(difference(machine.ram.getUint8Array(0, machine.staticmem), original)),
    stack: pack(machine.stack.getUint8Array(0, machine.s.byteOffset + machine.sp * 2)),
    frames: [...machine.frames],
    frame: machine.frameptr,
    top: machine.sp,
    next: machine.pc,
    seed: machine.xorshift_seed,
    restarts: machine.restarts,
    output: JSON.stringify(machine.io),
    read: JSON.stringify(machine.read_data ?? {}),
    upper: screen.upper?.rows?.slice() ?? null,
    waiting: screen.waiting,
  };
}

/**
 * Puts the state of a snapshot into a machine that has not begun to play. Throws `StoryError` if the snapshot is of
 * another story, or damaged.
 */
export function putBack(
  snapshot: StorySnapshot,
  name: string,
  original: Uint8Array,
  machine: Machine,
  screen: StoryScreen,
): void {
  if (snapshot.story !== name) throw new StoryError('the snapshot is of another story');
  machine.startWithoutRunning();
  const memory = unpack(snapshot.memory, machine.staticmem);
  if (memory.length !== machine.staticmem) throw new StoryError('the snapshot is damaged');
  machine.ram.setUint8Array(0, difference(memory, original));
  machine.stack.setUint8Array(0, unpack(snapshot.stack, machine.stack.byteLength));
  machine.frames = [...snapshot.frames];
  machine.frameptr = snapshot.frame;
  machine.make_stacks();
  machine.sp = snapshot.top;
  machine.pc = snapshot.next;
  machine.xorshift_seed = snapshot.seed;
  machine.restarts = snapshot.restarts;
  machine.io = JSON.parse(snapshot.output) as OutputState;
  machine.read_data = JSON.parse(snapshot.read) as ReadRequest;
  if (snapshot.upper !== null) {
    if (!machine.version3) machine.upperwin = screen.openUpper(snapshot.upper.length);
    screen.upper?.rows?.splice(0, Infinity, ...snapshot.upper);
  }
  screen.resumeWaiting(snapshot.waiting, machine.read_data.buffer ?? []);
  // The interpreter writes into the window that is current.
  screen.glk_set_window(machine.io.currentwin !== 0 && machine.upperwin ? machine.upperwin : machine.mainwin);
}

/** What changed, byte by byte; applied to the difference, gives the changed bytes back. */
function difference(bytes: Uint8Array, original: Uint8Array): Uint8Array {
  return bytes.map((byte, place) => byte ^ (original[place] as number));
}

function pack(bytes: Uint8Array): string {
  return deflateRawSync(bytes, { level: 1 }).toString('base64');
}

function unpack(text: string, limit: number): Uint8Array {
  try {
    return new Uint8Array(inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: limit }));
  } catch {
    throw new StoryError('the snapshot is damaged');
  }
}
