import { compareFacts, FactTable } from '../logic/facts.js';
import { LogicError } from '../logic/logic-error.js';
import type { Action, Entity, Fact, Logic } from '../logic/logic.js';
import { parseLogic } from '../logic/parse-logic.js';
import { checkQuests } from './check-quests.js';
import { checkWorld } from './check-world.js';
import { GameError } from './game-error.js';
import type { EntityInfo, Game, GameEvent, Quest } from './game.js';
import { JsonValue } from './json-reader.js';

const limits = {
  facts: 20_000,
  entities: 5_000,
  quests: 200,
  events: 200,
  actions: 300,
  factsOfAction: 64,
  entitiesOfFact: 16,
  commands: 2_000,
  synonyms: 100,
  name: 1_000,
  text: 100_000,
};

/**
 * Reads a game from the parsed JSON of a complete TextWorld 1.x file and checks that it can be played and won. Throws
 * a `GameError` that names the place in the file, or what is wrong with the game.
 */
export function readGame(json: unknown): Game {
  const file = new JsonValue(json);
  const version = file.at('version');
  if (!version.isMissing && version.number() !== 1) version.fail(`only version 1 can be read`);
  const logic = readLogic(file.at('KB').at('logic'));
  const reader = new GameReader(logic);
  const facts = reader.readFacts(file.at('world'), limits.facts).sort(compareFacts);
  const infos = reader.readInfos(file.at('infos'));
  reader.closeEntities(infos);
  const quests = file
    .at('quests')
    .items(limits.quests)
    .map((quest) => reader.readQuest(quest));
  const walkthrough = file.at('metadata').isMissing
    ? []
    : file.at('metadata').at('walkthrough').texts(limits.commands, limits.name);
  const game: Game = {
    logic,
    facts,
    entities: reader.entities(),
    infos,
    quests,
    objective: file.at('objective').textOrNull(limits.text) ?? objectiveOf(quests),
    walkthrough: walkthrough.length > 0 ? walkthrough : undefined,
    maximumScore: maximumScoreOf(quests),
  };
  checkWorld(game);
  checkQuests(game);
  return game;
}

function readLogic(value: JsonValue): Logic {
  try {
    return parseLogic(value.text(1_000_000));
  } catch (error) {
    if (error instanceof LogicError) return value.fail(error.message);
    throw error;
  }
}

const objectiveOf = (quests: readonly Quest[]): string =>
  quests
    .map(({ description }) => description)
    .filter((description) => description !== '')
    .join('\nAND\n');

/** Sum of the rewards that can be earned (`Game.max_score`). */
export function maximumScoreOf(quests: readonly Pick<Quest, 'reward' | 'optional' | 'repeatable'>[]): number {
  if (quests.some(({ repeatable, reward }) => repeatable && reward > 0)) return Infinity;
  return quests.reduce((sum, { optional, reward }) => (!optional || reward > 0 ? sum + reward : sum), 0);
}

class GameReader {
  private readonly table = new FactTable();
  private readonly types: ReadonlySet<string>;
  private isClosed = false;

  constructor(private readonly logic: Logic) {
    this.types = new Set(logic.types.names);
    for (const name of ['P', 'I']) if (this.types.has(name)) this.table.entity(name, name);
  }

  entities(): ReadonlyMap<string, Entity> {
    return new Map(this.table.entities.map((entity) => [entity.id, entity]));
  }

  /** From here on, an entity that no fact of the world is about is an error. */
  closeEntities(infos: ReadonlyMap<string, EntityInfo>): void {
    for (const { id, type } of this.table.entities) {
      const info = infos.get(id);
      if (!info) throw new GameError(`infos: nothing about \`${id}\``);
      if (info.type !== type) throw new GameError(`infos: \`${id}\` has another type than in the world`);
    }
    this.isClosed = true;
  }

  readFacts(value: JsonValue, limit: number): Fact[] {
    return value.items(limit).map((fact) => this.readFact(fact));
  }

  readInfos(value: JsonValue): ReadonlyMap<string, EntityInfo> {
    const infos = new Map<string, EntityInfo>();
    for (const pair of value.items(limits.entities)) {
      const [id, info, ...more] = pair.items(2);
      if (!id || !info || more.length > 0) return pair.fail('not a pair of id and information');
      const read = readInfo(id.name(limits.name), info);
      if (infos.has(read.id)) id.fail(`\`${read.id}\` is there twice`);
      infos.set(read.id, read);
    }
    return infos;
  }

  readQuest(value: JsonValue): Quest {
    const wins = value
      .at('win_events')
      .items(limits.events)
      .map((event) => this.readEvent(event));
    const fails = value
      .at('fail_events')
      .items(limits.events)
      .map((event) => this.readEvent(event));
    if (wins.length === 0 && fails.length === 0) value.fail('neither win_events nor fail_events');
    const reward = value.at('reward');
    const optional = value.at('optional').flag();
    const repeatable = value.at('repeatable').flag();
    if (repeatable && !optional) value.at('repeatable').fail('only an optional quest can be repeatable');
    return {
      description: value.at('desc').textOrNull(limits.text) ?? '',
      reward: reward.isMissing ? Number(wins.length > 0) : reward.number(),
      wins,
      fails,
      optional,
      repeatable,
      commands: value.at('commands').texts(limits.commands, limits.name),
    };
  }

  private readEvent(value: JsonValue): GameEvent {
    const actions = value
      .at('actions')
      .items(limits.actions)
      .map((action) => this.readAction(action));
    const condition = this.readFacts(value.at('condition').at('preconditions'), limits.factsOfAction);
    const last = actions.at(-1);
    if (condition.length === 0 && !last) value.at('condition').fail('neither facts nor actions');
    return {
      condition: condition.length > 0 ? condition : (last as Action).after,
      actions,
      commands: value.at('commands').texts(limits.commands, limits.name),
    };
  }

  private readAction(value: JsonValue): Action {
    const rule = value.at('name').name(limits.name);
    if (!this.logic.rules.has(rule)) value.at('name').fail(`no rule is called \`${rule}\``);
    const command = value.at('command_template').textOrNull(limits.name);
    return {
      rule,
      before: this.readFacts(value.at('preconditions'), limits.factsOfAction),
      after: this.readFacts(value.at('postconditions'), limits.factsOfAction),
      ...(command !== null && { command }),
    };
  }

  private readFact(value: JsonValue): Fact {
    const name = value.at('name').name(limits.name);
    if (!this.logic.factNames.has(name)) value.at('name').fail(`the logic has no fact \`${name}\``);
    const entities = value
      .at('arguments')
      .items(limits.entitiesOfFact)
      .map((entity) => this.readEntity(entity));
    return this.table.fact(name, entities);
  }

  private readEntity(value: JsonValue): ReturnType<FactTable['entity']> {
    const id = value.at('name').name(limits.name);
    const type = value.at('type').name(limits.name);
    if (!this.types.has(type)) value.at('type').fail(`no type is called \`${type}\``);
    if (this.isClosed && !this.table.findEntity(id)) value.fail(`\`${id}\` is not in the world`);
    if (this.table.entities.length > limits.entities) value.fail(`more than ${limits.entities} entities`);
    try {
      return this.table.entity(id, type);
    } catch (error) {
      return value.fail(error instanceof RangeError ? error.message : String(error));
    }
  }
}

function readInfo(id: string, value: JsonValue): EntityInfo {
  const inside = value.at('id');
  if (!inside.isMissing && inside.text(limits.name) !== id) inside.fail(`not \`${id}\``);
  const name = (key: string): string | null => value.at(key).textOrNull(limits.name);
  return {
    id,
    type: value.at('type').name(limits.name),
    name: name('name'),
    noun: name('noun'),
    adjective: name('adj'),
    description: value.at('desc').textOrNull(limits.text),
    definite: name('definite'),
    indefinite: name('indefinite'),
    synonyms: value.at('synonyms').texts(limits.synonyms, limits.name),
    roomType: name('room_type'),
  };
}
