import type { NumpyRandom } from '../generate/numpy-random.js';
import type { Entity, Types } from '../logic/logic.js';
import { withCapital, withDefinite, withIndefinite, type Named } from './article.js';
import type { DraftWorld, Exit } from './draft-world.js';
import type { Slots } from './sentence-grammar.js';
import { houseSentences, type Sentence } from './house-sentences.js';
import { namingOf, type EntityWords } from './name-entities.js';

/** The words of an entity with all that decides about its articles. */
export interface DescribedEntity extends EntityWords, Named {}

/** Describes rooms and things, with conditions in brackets for what can change. */
export class Describer {
  constructor(
    private readonly world: DraftWorld,
    private readonly types: Types,
    /** Of all rooms and things, by id. */
    private readonly words: ReadonlyMap<string, DescribedEntity>,
    private readonly random: NumpyRandom,
  ) {}

  describe(entity: Entity): string {
    return this.types.isA(entity.type, 'r') ? this.room(entity) : this.thing(entity);
  }

  /** Where one is, what stands there with all that it holds, and the exits. Compiled games add what is on the floor. */
  private room(room: Entity): string {
    const furniture = this.world.within(room).flatMap((thing) => this.furniture(thing) ?? []);
    const exits = this.world.exitsOf(room);
    const doorways = exits.flatMap((exit) => (exit.door ? [this.doorway(exit.door, exit)] : []));
    const free = exits.filter(({ door }) => !door).map(({ direction }) => direction);
    if (free.length > 0) doorways.push(this.freeExits(free));
    const paragraphs = [this.expand('arrival', this.slots(room)), furniture.join(' '), doorways.join(' ')];
    return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
  }

  /** What one sees who examines the thing. */
  private thing(thing: Entity): string {
    const slots = this.slots(thing);
    const kind = namingOf(thing.type, this.types);
    switch (kind) {
      case 'door':
      case 'container':
        return this.expand(this.world.canOpen(thing) ? `${kind}Text` : 'supporterText', slots);
      case 'key':
        return this.key(thing, slots);
      case 'supporter':
      case 'food':
      case 'object':
        return this.expand(`${kind}Text`, slots);
      case undefined:
        return '';
    }
  }

  /** Undefined for what can be taken. */
  private furniture(thing: Entity): string | undefined {
    const kind = namingOf(thing.type, this.types);
    if (kind !== 'container' && kind !== 'supporter') return undefined;
    const isClosedForever = kind === 'container' && !this.world.canOpen(thing);
    return this.expand(isClosedForever ? 'furniture' : kind, this.slots(thing));
  }

  private doorway(door: Entity, { direction }: Exit): string {
    return this.expand('doorway', { ...this.slots(door), direction });
  }

  private freeExits(directions: readonly string[]): string {
    const last = directions.at(-1) as string;
    const list = directions.length === 1 ? last : `${directions.slice(0, -1).join(', ')} and ${last}`;
    return this.expand(directions.length === 1 ? 'exit' : 'exits', { directions: list });
  }

  private key(key: Entity, slots: Slots): string {
    const adjective = this.words.get(key.id)?.adjective;
    const lock = this.world.partner(key);
    if (!adjective || !lock || this.words.get(lock.id)?.adjective !== adjective) return this.expand('keyText', slots);
    const aLock = withIndefinite({ name: adjective, indefinite: null, definite: null });
    return this.expand('matchedKeyText', { ...slots, aLock });
  }

  private slots({ id }: Entity): Slots {
    const words = this.words.get(id) ?? { name: id, indefinite: null, definite: null };
    const the = withDefinite(words);
    return { id, name: words.name, a: withIndefinite(words), the, The: withCapital(the) };
  }

  private expand(sentence: Sentence, slots: Slots): string {
    return houseSentences.expand(sentence, slots, this.random);
  }
}
