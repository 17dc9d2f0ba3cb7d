// Builds the world of a game that is designed thing by thing (`textworld/generator/maker.py`).
import type { FixedWords } from '../generate/draft.js';
import type { Direction } from '../generate/make-map.js';
import type { Entity, Fact, Types } from '../logic/logic.js';

const directions: readonly Direction[] = ['north', 'south', 'east', 'west'];
const opposite = { north: 'south', south: 'north', east: 'west', west: 'east' } as const;

/** A thing in a world that is being made. */
export class MadeEntity {
  /** Facts about the thing and the facts that put others into it. */
  readonly facts: Fact[] = [];
  readonly contents: MadeEntity[] = [];
  holder: MadeEntity | undefined;

  constructor(
    readonly entity: Entity,
    public words: FixedWords,
  ) {}

  get id(): string {
    return this.entity.id;
  }

  get name(): string {
    return this.words.name ?? '';
  }

  has(property: string): boolean {
    return this.facts.some((fact) => fact.name === property && fact.entities.length === 1);
  }

  add(property: string): void {
    this.facts.push({ name: property, entities: [this.entity] });
  }

  /** Takes back one `add` of the property, the first. */
  remove(property: string): void {
    const index = this.facts.findIndex((fact) => fact.name === property && fact.entities.length === 1);
    if (index >= 0) this.facts.splice(index, 1);
  }
}

/** A room in a world that is being made. */
export class MadeRoom extends MadeEntity {
  readonly exits = new Map<Direction, Passage>();

  /** Directions without an exit. */
  freeDirections(): Direction[] {
    return directions.filter((direction) => !this.exits.has(direction));
  }
}

/** The way between two rooms. */
export class Passage {
  door: MadeEntity | undefined;

  constructor(
    readonly from: MadeRoom,
    readonly direction: Direction,
    readonly to: MadeRoom,
  ) {}

  /** The room at the other end. */
  beyond(room: MadeRoom): MadeRoom {
    return room === this.from ? this.to : this.from;
  }
}

/** The world so far. Ids of entities are their types with a number, counted in the order of their making. */
export class WorldMaker {
  readonly entities: MadeEntity[] = [];
  readonly rooms: MadeRoom[] = [];
  readonly passages: Passage[] = [];
  readonly player = new MadeEntity({ id: 'P', type: 'P' }, {});
  readonly inventory = new MadeEntity({ id: 'I', type: 'I' }, {});
  private readonly counts = new Map<string, number>();
  private readonly byName = new Map<string, MadeEntity>();

  constructor(private readonly types: Types) {}

  /** Makes a thing. A type in capital letters has one entity only, named like the type. */
  make(type: string, words: FixedWords = {}, ...properties: string[]): MadeEntity {
    const made = new MadeEntity({ id: this.newId(type), type }, words);
    for (const property of properties) made.add(property);
    return this.register(made);
  }

  makeRoom(words: FixedWords = {}): MadeRoom {
    const room = new MadeRoom({ id: this.newId('r'), type: 'r' }, words);
    this.rooms.push(room);
    return this.register(room);
  }

  /** The entity that was made with this name, the latest if there are several. */
  named(name: string): MadeEntity | undefined {
    return this.byName.get(name);
  }

  roomNamed(name: string): MadeRoom | undefined {
    const made = this.byName.get(name);
    return made instanceof MadeRoom ? made : undefined;
  }

  ofType(type: string): MadeEntity[] {
    return this.entities.filter((made) => made.entity.type === type);
  }

  /** Puts things into a room, a container or the inventory, or on a supporter. */
  put(holder: MadeEntity, ...things: MadeEntity[]): void {
    for (const thing of things) {
      holder.facts.push({ name: this.relationTo(holder), entities: [thing.entity, holder.entity] });
      holder.contents.push(thing);
      thing.holder = holder;
    }
  }

  /** Moves a thing from where it is to another place. */
  move(thing: MadeEntity, holder: MadeEntity): void {
    const old = thing.holder;
    if (old) {
      const relation = this.relationTo(old);
      const index = old.facts.findIndex((fact) => fact.name === relation && fact.entities[0] === thing.entity);
      old.facts.splice(index, 1);
      old.contents.splice(old.contents.indexOf(thing), 1);
    }
    this.put(holder, thing);
  }

  /** Leads from one room in a direction to another room, and back. */
  connect(from: MadeRoom, direction: Direction, to: MadeRoom): Passage {
    const passage = new Passage(from, direction, to);
    from.exits.set(direction, passage);
    to.exits.set(opposite[direction], passage);
    this.passages.push(passage);
    return passage;
  }

  passageBetween(one: MadeRoom, other: MadeRoom): Passage | undefined {
    return this.passages.find(({ from, to }) => (from === one && to === other) || (from === other && to === one));
  }

  makeDoor(passage: Passage, name: string, ...properties: string[]): MadeEntity {
    passage.door = this.make('d', { name }, ...properties);
    return passage.door;
  }

  /** A fact about entities of this world; it does not become part of the world. */
  fact(name: string, ...made: MadeEntity[]): Fact {
    return { name, entities: made.map((one) => one.entity) };
  }

  /** Makes a fact part of the world. */
  addFact(name: string, ...made: [MadeEntity, ...MadeEntity[]]): void {
    made[0].facts.push(this.fact(name, ...made));
  }

  /** All facts of the world, each once. */
  facts(): Fact[] {
    const facts = this.inventory.facts.slice();
    for (const made of this.entities) facts.push(...made.facts);
    for (const { from, direction, to, door } of this.passages) {
      facts.push(this.fact(`${direction}_of`, to, from), this.fact(`${opposite[direction]}_of`, from, to));
      if (!door || door.has('open')) facts.push(this.fact('free', from, to), this.fact('free', to, from));
      if (door) facts.push(this.fact('link', from, door, to), this.fact('link', to, door, from));
    }
    return facts;
  }

  /** The words of all entities that have been given some. */
  words(): Map<string, FixedWords> {
    return new Map(
      this.entities.filter(({ words }) => Object.keys(words).length > 0).map(({ id, words }) => [id, words]),
    );
  }

  private register<T extends MadeEntity>(made: T): T {
    this.entities.push(made);
    if (made.name) this.byName.set(made.name, made);
    return made;
  }

  private newId(type: string): string {
    if (/^[A-Z]/.test(type)) return type;
    const count = this.counts.get(type) ?? 0;
    this.counts.set(type, count + 1);
    return `${type}_${count}`;
  }

  private relationTo(holder: MadeEntity): string {
    const type = holder.entity.type;
    if (type === 'r') return 'at';
    return type === 'I' || this.types.isA(type, 'c') ? 'in' : 'on';
  }
}
