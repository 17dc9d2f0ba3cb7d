import type { OutsideFiles } from '@agentgym/cli';

import type { RoomName } from '../generate/rooms.js';

/** Where a game happens. */
export interface Trajectory {
  /** `FloorPlan329` */
  readonly scene?: string;
  readonly room?: RoomName;
}

/** Bytes. ALFRED's own have up to two megabytes. */
const largest = 64 * 2 ** 20;

/** The scene of a game: from the `traj_data.json` beside it, otherwise from its name, which ends with the plan's number. */
export function readTrajectory(files: OutsideFiles, path: string, name: string): Trajectory {
  const scene = sceneOf(readText(files, path)) ?? sceneInName(name);
  const number = Number(/(\d+)$/.exec(scene ?? '')?.[1]);
  const room = Number.isNaN(number) ? undefined : roomOf(number);
  return { ...(scene !== undefined && { scene }), ...(room !== undefined && { room }) };
}

function readText(files: OutsideFiles, path: string): string | undefined {
  try {
    return files.readSync(path, largest).toString('utf8');
  } catch {
    // The game can be played without it.
    return undefined;
  }
}

/** `scene.floor_plan` of the file. It is not worth more than a look: the rest has thousands of images. */
function sceneOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : /"floor_plan"\s*:\s*"(FloorPlan\d+)"/.exec(text)?.[1];
}

function sceneInName(name: string): string | undefined {
  const number = /-(\d+)(?:\/|$)/.exec(name)?.[1];
  return number === undefined ? undefined : `FloorPlan${number}`;
}

/** `SCENE_TYPE` in alfworld/gen/constants.py. */
function roomOf(number: number): RoomName | undefined {
  if (number <= 30) return 'kitchen';
  const rooms: { readonly [hundred: number]: RoomName } = { 2: 'livingroom', 3: 'bedroom', 4: 'bathroom' };
  return rooms[Math.floor(number / 100)];
}
