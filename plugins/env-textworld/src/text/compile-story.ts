import type { EntityInfo, Game } from '../game/game.js';
import type { Entity } from '../logic/logic.js';
import type { Corrections } from './corrections.js';
import { compileDescription, type Description, StoryTextError } from './description.js';
import { GameFacts } from './game-facts.js';
import { cookingGrammar, directions, everyDirection, type Grammar, standardGrammar } from './grammar.js';
import { foldBreaks, objectiveAsInform, quotedAsInform, titleCase } from './inform-text.js';
import { findRecipe } from './recipe.js';
import { startWorld } from './start-world.js';
import type { Story } from './story.js';
import { entitiesInOrder, findWays, type Ways } from './story-map.js';
import {
  ContainerKind,
  DirectionKind,
  DoorKind,
  FoodKind,
  HeatKind,
  player,
  PlayerKind,
  RoomKind,
  type StoryObject,
  SupporterKind,
} from './story-object.js';
import { compileQuests } from './story-quests.js';
import { Vocabulary } from './vocabulary.js';
import { cookings } from './story-world.js';

const longestName = 200;

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Makes a story of a game: what `generator/inform7/world2inform7.py` and Inform do. */
export class StoryCompiler {
  private readonly cooks: boolean;
  private readonly grammar: Grammar;
  private readonly vocabulary: Vocabulary;
  private readonly objects: Mutable<StoryObject>[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly facts: GameFacts;

  constructor(
    private readonly game: Game,
    private readonly corrections: Corrections,
  ) {
    this.cooks = game.logic.inform.code.includes('Cooking it with is an action');
    this.grammar = this.cooks ? cookingGrammar : standardGrammar;
    this.vocabulary = new Vocabulary(this.grammar.vocabulary);
    this.facts = new GameFacts(game);
  }

  compile(): Story {
    const { game, corrections } = this;
    this.addConstants();
    const entities = entitiesInOrder(this.facts);
    const rooms = entities.filter((entity) => this.facts.isKind(entity, 'room'));
    const ways = findWays(this.facts, rooms);
    for (const room of rooms) this.add(room, true);
    const doors: number[] = [];
    for (const room of rooms) {
      for (const { to, door } of ways.get(room.id)?.values() ?? []) {
        if (door === undefined || this.numbers.has(door.id)) continue;
        doors.push(this.add(door, true));
        (this.objects.at(-1) as Mutable<StoryObject>).sides = [this.number(room), this.number(to)];
      }
    }
    const things = entities.filter((entity) => !this.numbers.has(entity.id) && entity.type !== 'I');
    for (const type of game.logic.types.names) {
      for (const thing of things) if (thing.type === type) this.add(thing, false);
    }
    for (const room of rooms) this.setExits(room, ways);
    for (const { entities } of this.facts.withName('match')) {
      const [key, lock] = entities.map((entity) => this.objects[this.number(entity)]);
      if (key !== undefined && lock !== undefined) lock.key = key.number;
    }
    for (const object of this.objects) this.addTexts(object);
    const objective = corrections.keepsApostrophes ? game.objective : objectiveAsInform(game.objective);
    const quests = compileQuests(game, this.numbers);
    const scored = game.quests.filter((quest) => !quest.optional || quest.reward > 0);
    return {
      game,
      corrections,
      objects: this.objects,
      numbers: this.numbers,
      doors,
      grammar: this.grammar,
      vocabulary: this.vocabulary,
      start: startWorld({ objects: this.objects, numbers: this.numbers, doors, cooks: this.cooks }, this.facts),
      objective,
      quests,
      maximumScore: scored.reduce((sum, { reward, repeatable }) => (repeatable ? Infinity : sum + reward), 0),
      cooks: this.cooks,
      recipe: this.cooks ? findRecipe(this.facts, this.numbers) : undefined,
      capacity: game.logic.types.names.includes('slot') ? this.slots() : 100,
    };
  }

  /** Nothing, the directions, and the player, who are in every game. */
  private addConstants(): void {
    const none: StoryObject = {
      number: 0,
      id: '',
      kinds: 0,
      name: '',
      indefinite: undefined,
      proper: false,
      phrases: [],
      description: [],
      key: 0,
      exits: [],
      sides: [],
      heat: 0,
      drinkable: false,
      sharp: false,
    };
    this.objects.push({ ...none });
    for (const words of directions) {
      const phrases = [...words, everyDirection].map((word) => [this.vocabulary.find(word)]);
      this.objects.push({ ...none, number: this.objects.length, kinds: DirectionKind, name: words[0], phrases });
    }
    this.objects.push({ ...none, number: player, id: 'P', kinds: PlayerKind, name: 'yourself', proper: true });
    this.numbers.set('P', player).set('I', player);
  }

  private add(entity: Entity, isPlace: boolean): number {
    const number = this.objects.length;
    const info = this.game.infos.get(entity.id);
    const kinds = this.kindBits(entity, isPlace);
    const isRoom = (kinds & RoomKind) !== 0;
    const name = info?.name ?? '';
    if (name.length > longestName) throw new StoryTextError(`its name is too long`, entity.id, longestName);
    const printed = this.corrections.keepsApostrophes ? name : quotedAsInform(name);
    this.objects.push({
      number,
      id: entity.id,
      kinds,
      name: isRoom ? `-= ${titleCase(printed)} =-` : printed,
      indefinite: info?.indefinite || undefined,
      proper: (kinds & DoorKind) !== 0,
      phrases: isRoom || info === undefined ? [] : this.phrases(info),
      description: [],
      key: 0,
      exits: [],
      sides: [],
      heat: (kinds & HeatKind) === 0 ? 0 : this.heatOf(entity),
      drinkable: this.facts.holds('drinkable', entity.id),
      sharp: this.facts.holds('sharp', entity.id),
    });
    this.numbers.set(entity.id, number);
    return number;
  }

  /** Synonyms, the whole name, and each of its words but the articles. */
  private phrases(info: EntityInfo): readonly (readonly number[])[] {
    const name = (info.name ?? '').toLowerCase();
    const words = name.split(/\s+/).filter((word) => word !== '');
    const texts = [...info.synonyms.map((synonym) => synonym.toLowerCase()), name];
    if (words.length > 1) texts.push(...words.filter((word) => word !== 'the' && word !== 'of'));
    return texts
      .map((text) => text.split(/\s+/).filter((word) => word !== ''))
      .filter((phrase) => phrase.length > 0)
      .map((phrase) => phrase.map((word) => this.vocabulary.add(word)));
  }

  private addTexts(object: Mutable<StoryObject>): void {
    const info = this.game.infos.get(object.id);
    const text = info?.description ?? '';
    if (text === '' || object.number <= player) return;
    const isRoom = (object.kinds & RoomKind) !== 0;
    object.description = this.describeEntity(text, object.id, isRoom);
  }

  private describeEntity(text: string, id: string, isRoom: boolean): Description {
    const find = (name: string): number | undefined => (name === 'player' ? player : this.numbers.get(name));
    return compileDescription(text, id, find, (start, end) => {
      const printed = this.corrections.keepsApostrophes ? text.slice(start, end) : quotedAsInform(text, start, end);
      return isRoom ? foldBreaks(printed) : printed;
    });
  }

  private setExits(room: Entity, ways: ReadonlyMap<string, Ways>): void {
    const exits = directions.map(() => 0);
    for (const [direction, { to, door }] of ways.get(room.id) ?? []) exits[direction] = this.number(door ?? to);
    (this.objects[this.number(room)] as Mutable<StoryObject>).exits = exits;
  }

  private slots(): number {
    return [...this.facts.withName('free'), ...this.facts.withName('used')].filter(
      ({ entities }) => entities[0]?.type === 'slot',
    ).length;
  }

  private number(entity: Entity): number {
    return this.numbers.get(entity.id) ?? 0;
  }

  private kindBits(entity: Entity, isPlace: boolean): number {
    let bits = 0;
    if (this.facts.isKind(entity, 'room')) bits |= RoomKind;
    if (this.facts.isKind(entity, 'container')) bits |= ContainerKind;
    if (this.facts.isKind(entity, 'supporter')) bits |= SupporterKind;
    if (this.facts.isKind(entity, 'door') || (isPlace && (bits & RoomKind) === 0)) bits |= DoorKind;
    if (this.facts.isKind(entity, 'food')) bits |= FoodKind;
    if (['stove-like', 'oven-like', 'toaster-like'].some((kind) => this.facts.isKind(entity, kind))) bits |= HeatKind;
    return bits;
  }

  private heatOf(entity: Entity): number {
    const result = this.facts.isKind(entity, 'stove-like')
      ? 'fried'
      : this.facts.isKind(entity, 'oven-like')
        ? 'roasted'
        : 'grilled';
    return cookings.indexOf(result);
  }
}
