// What stands in a cell: minigrid/core/world_object.py and minigrid/core/constants.py.

export const colours = ['red', 'green', 'blue', 'purple', 'yellow', 'grey'] as const;
export type Colour = (typeof colours)[number];

/** The order in which random colours are drawn. */
export const sortedColours: readonly Colour[] = [...colours].sort();

export type Kind = 'wall' | 'door' | 'key' | 'ball' | 'box';
/** Kinds that can be carried. */
export type PortableKind = 'key' | 'ball' | 'box';
export type DoorState = 'open' | 'closed' | 'locked';

/** Numbers of what a cell holds in observations. */
export const unseenCode = 0;
export const emptyCode = 1;
export const kindCodes: Readonly<Record<Kind, number>> = { wall: 2, door: 4, key: 5, ball: 6, box: 7 };
export const doorStates: readonly DoorState[] = ['open', 'closed', 'locked'];

/** A place in the grid; -1, -1 is nowhere: carried, or inside a box. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A thing has an identity: descriptions in instructions follow it wherever it is carried. */
export class Thing {
  x = -1;
  y = -1;
  /** What appears when a box is opened. */
  content: Thing | undefined;
  readonly portable: boolean;
  /** The agent can look past it. */
  seeThrough: boolean;
  /** Its kind, colour and state in one number: 8 bits each, the kind lowest. */
  code: number;
  #colour: Colour;
  #state: DoorState;

  constructor(
    readonly kind: Kind,
    colour: Colour,
    state: DoorState = kind === 'door' ? 'closed' : 'open',
  ) {
    this.#colour = colour;
    this.#state = state;
    this.portable = kind !== 'wall' && kind !== 'door';
    this.code = this.#computeCode();
    this.seeThrough = this.#canLookPast();
  }

  get colour(): Colour {
    return this.#colour;
  }

  set colour(colour: Colour) {
    this.#colour = colour;
    this.code = this.#computeCode();
  }

  /** Of doors; everything else is `open`. */
  get state(): DoorState {
    return this.#state;
  }

  set state(state: DoorState) {
    this.#state = state;
    this.code = this.#computeCode();
    this.seeThrough = this.#canLookPast();
  }

  /** The agent can stand in its cell. */
  get passable(): boolean {
    return this.kind === 'door' && this.#state === 'open';
  }

  #computeCode(): number {
    return kindCodes[this.kind] | (colours.indexOf(this.#colour) << 8) | (doorStates.indexOf(this.#state) << 16);
  }

  #canLookPast(): boolean {
    return this.kind !== 'wall' && this.#state === 'open';
  }
}

/** All walls are one thing: nothing tells them apart. */
export const wall = new Thing('wall', 'grey');
