import type { Instruction } from '../instructions/instruction.js';
import type { Colour, Thing } from '../world/thing.js';
import type { RoomGrid, RoomPlan } from './room-grid.js';

/** What the levels of a kind differ in; each kind reads some of these. */
export interface LevelSettings extends RoomPlan {
  /** A limit of steps that does not depend on the instruction: this many times the cells of a room. */
  readonly stepsPerCell?: number;
  /** Things that may distract; in rooms with things of the instruction, all of them. */
  readonly things: number;
  readonly strict: boolean;
  readonly doorsOpen: boolean;
  readonly selectBy: 'colour' | 'location' | 'any';
  readonly doorColours: readonly Colour[];
  readonly doors: number;
  readonly startsCarrying: boolean;
  /** Of kinds that draw their sentences. */
  readonly sentence?: SentenceSettings;
}

/** `LevelGen` of the original. */
export interface SentenceSettings {
  readonly lockedRoom: number;
  readonly locations: boolean;
  /** Things may stand in the way. */
  readonly unblocking: boolean;
  /** The instruction may be about things behind a locked door without saying so. */
  readonly implicitUnlock: boolean;
  readonly verbs: readonly Verb[];
  readonly forms: readonly Form[];
}

type Verb = 'go to' | 'pick up' | 'open' | 'put';
export type Form = 'single' | 'and' | 'sequence';

/** What a draft ends with. */
interface Mission {
  readonly instruction: Instruction;
  /** The agent holds it when the episode begins. */
  readonly carried?: Thing;
}

export type LevelGroup = 'go to' | 'open' | 'pick up' | 'put next' | 'unlock' | 'other' | 'synth';

/** A class of the original: the levels that are made in the same way. */
export interface LevelKind {
  readonly group: LevelGroup;
  readonly defaults: Partial<LevelSettings>;
  /** Fills the rooms, places the agent, and says what to do. */
  make(rooms: RoomGrid, settings: LevelSettings): Mission;
}

export const generalDefaults: LevelSettings = {
  roomSize: 8,
  rows: 3,
  columns: 3,
  things: 0,
  strict: false,
  doorsOpen: false,
  selectBy: 'any',
  doorColours: [],
  doors: 0,
  startsCarrying: false,
};
