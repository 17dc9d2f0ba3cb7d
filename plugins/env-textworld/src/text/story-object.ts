import type { Description } from './description.js';
import { directions } from './grammar.js';

/** Number of the player; directions are the numbers before it, 0 is nothing. */
export const player = directions.length + 1;

/** Bits of what kind of thing an object is for Inform. */
export const RoomKind = 1;
export const ContainerKind = 2;
export const SupporterKind = 4;
export const DoorKind = 8;
export const FoodKind = 16;
export const DirectionKind = 32;
export const PlayerKind = 64;
export const HeatKind = 128;

/** What of an object never changes. */
export interface StoryObject {
  /** Its number; directions, then the player, come first. */
  readonly number: number;
  /** Id of its entity; empty for directions. */
  readonly id: string;
  readonly kinds: number;
  /** The printed name. */
  readonly name: string;
  /** Article instead of a or an; undefined: a or an. */
  readonly indefinite: string | undefined;
  /** Names without articles: those of doors, directions and the player. */
  readonly proper: boolean;
  /** Sequences of words that mean it, in the order in which they are tried. */
  readonly phrases: readonly (readonly number[])[];
  readonly description: Description;
  /** The key that fits it; 0 if there is none. */
  readonly key: number;
  /** Of a room: the room or door in each direction, by number of the direction; 0 if there is none. */
  readonly exits: readonly number[];
  /** Of a door: the two rooms; the second one may be 0. */
  readonly sides: readonly number[];
  /** Of a source of heat: index in `cookings` of what it does to food; 0 if it does nothing. */
  readonly heat: number;
  readonly drinkable: boolean;
  readonly sharp: boolean;
}
