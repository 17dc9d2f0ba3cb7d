import { digestOf } from '@agentgym/world-kit';

import type { EventDraft, QuestDraft } from '../generate/draft.js';
import type { Action, Entity, Fact } from '../logic/logic.js';

/** The parts of a game, or of its draft, that its cluster depends on. */
export interface Structure {
  readonly facts: readonly Fact[];
  readonly quests: readonly QuestDraft[];
}

/**
 * A name for the game's quest and map that ignores all words and all things without a part in the quest: two games of
 * one cluster are the same puzzle with other names and other distractors. Rooms are numbered by a walk from the
 * player's room, doors with them, things in the order in which the quests need them.
 */
export function clusterOf(game: Structure): string {
  const numbering = new Numbering();
  numberRooms(game, numbering);
  const quests = game.quests.map((quest) => numbering.writeQuest(quest));
  // Entities of the quests have their numbers now; what is left are distractors.
  const start = game.facts.filter((fact) => numbering.knows(fact));
  const text = `[[${quests.join()}],${JSON.stringify(numbering.writeFacts(start).sort())}]`;
  return digestOf(text);
}

/** Writes the parts of a game with numbers in the place of names, which are given in the order of appearance. */
class Numbering {
  private readonly names = new Map<string, string>();
  /** The actions of a quest begin with those of the quests before it. */
  private readonly actions = new Map<Action, string>();

  number({ id, type }: Entity): string {
    let name = this.names.get(id);
    if (name === undefined) this.names.set(id, (name = `${type}${this.names.size}`));
    return name;
  }

  /** Whether all entities of the fact have their numbers. */
  knows({ entities }: Fact): boolean {
    for (const { id } of entities) if (!this.names.has(id)) return false;
    return true;
  }

  writeQuest({ reward, optional, repeatable, wins, fails }: QuestDraft): string {
    const events = [wins, fails].map((each) => `[${each.map((event) => this.writeEvent(event)).join()}]`);
    return `[${JSON.stringify(reward)},${optional},${repeatable},${events.join()}]`;
  }

  writeFacts(facts: readonly Fact[]): string[] {
    return facts.map((fact) => this.writeFact(fact));
  }

  private writeEvent({ condition, actions }: EventDraft): string {
    const written = actions.map((action) => this.writeAction(action));
    return `[[${written.join()}],${JSON.stringify(this.writeFacts(condition))}]`;
  }

  private writeAction(action: Action): string {
    let written = this.actions.get(action);
    if (written === undefined) {
      const { rule, before, after } = action;
      written = JSON.stringify([rule, this.writeFacts(before), this.writeFacts(after)]);
      this.actions.set(action, written);
    }
    return written;
  }

  private writeFact({ name, entities }: Fact): string {
    let written = '';
    for (const entity of entities) written += written === '' ? this.number(entity) : `,${this.number(entity)}`;
    return `${name}(${written})`;
  }
}

/** Numbers the rooms by a walk from the player's room, then the doors between them. */
function numberRooms({ facts }: Structure, numbering: Numbering): void {
  const neighbours = new Map<string, Map<string, Entity>>();
  const doors = new Map<string, Entity>();
  let start: Entity | undefined;
  for (const { name, entities } of facts) {
    const [first, second, third] = entities;
    if (first === undefined || second === undefined) continue;
    if (name === 'at' && first.type === 'P') start ??= second;
    if (name === 'link' && third !== undefined) {
      const passage = passageOf(first, third);
      if (!doors.has(passage)) doors.set(passage, second);
    }
    if (!directionFacts.has(name)) continue;
    const known = neighbours.get(second.id) ?? new Map<string, Entity>();
    neighbours.set(second.id, known.set(name, first));
  }
  const rooms = new Map(start && [[start.id, start]]);
  const passages: string[] = [];
  for (const room of rooms.values()) {
    numbering.number(room);
    for (const direction of directionFacts) {
      const next = neighbours.get(room.id)?.get(direction);
      if (next === undefined) continue;
      passages.push(passageOf(room, next));
      if (!rooms.has(next.id)) rooms.set(next.id, next);
    }
  }
  for (const passage of passages) {
    const door = doors.get(passage);
    if (door !== undefined) numbering.number(door);
  }
}

/** By names of facts, in the order in which the walk takes the ways out of a room. */
const directionFacts: ReadonlySet<string> = new Set(['north_of', 'south_of', 'east_of', 'west_of']);

function passageOf(from: Entity, to: Entity): string {
  return `${from.id}\n${to.id}`;
}
