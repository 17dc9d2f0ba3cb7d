import { compareEntities } from '../logic/facts.js';
import type { Action, Entity, Fact, Logic, Rule } from '../logic/logic.js';
import type { EntityInfo, Game, GameEvent, Quest } from './game.js';

/**
 * The game in the layout of TextWorld 1.x `.json` files, to be turned into text by `JSON.stringify`. `readGame` and
 * the original read it.
 */
export function writeGame(game: Game): unknown {
  const { logic } = game;
  return {
    version: 1,
    world: game.facts.map(writeFact),
    grammar: {},
    quests: game.quests.map((quest) => writeQuest(quest, logic)),
    infos: Array.from(game.infos.values(), (info) => [info.id, writeInfo(info)]),
    KB: { logic: logic.text, text_grammars_path: 'text_grammars' },
    metadata: game.walkthrough ? { walkthrough: game.walkthrough } : {},
    objective: game.objective,
  };
}

const writeFact = ({ name, entities }: Fact): unknown => ({
  name,
  arguments: entities.map(({ id, type }) => ({ name: id, type })),
});

function writeQuest(quest: Quest, logic: Logic): unknown {
  return {
    desc: quest.description,
    reward: quest.reward,
    commands: quest.commands,
    win_events: quest.wins.map((event) => writeEvent(event, logic)),
    fail_events: quest.fails.map((event) => writeEvent(event, logic)),
    optional: quest.optional,
    repeatable: quest.repeatable,
  };
}

function writeEvent({ commands, actions, condition }: GameEvent, logic: Logic): unknown {
  const entities = new Map(condition.flatMap((fact) => fact.entities).map((entity) => [entity.id, entity]));
  const sorted = [...entities.values()].sort((one, other) => compareEntities([one], [other]));
  const trigger: Action = {
    rule: 'trigger',
    before: condition,
    after: [...condition, { name: 'event', entities: sorted }],
  };
  return {
    commands,
    actions: actions.map((action) => writeAction(action, logic)),
    condition: writeAction(trigger, logic),
  };
}

function writeAction(action: Action, logic: Logic): unknown {
  const rule = logic.rules.get(action.rule);
  const reverse = rule?.reverse === undefined ? undefined : logic.rules.get(rule.reverse);
  const entities = rule ? entitiesOf(action, rule) : new Map<string, Entity>();
  return {
    name: action.rule,
    preconditions: action.before.map(writeFact),
    postconditions: action.after.map(writeFact),
    command_template: action.command ?? commandOf(rule, entities),
    reverse_name: reverse?.name ?? null,
    reverse_command_template: commandOf(reverse, entities),
  };
}

/** Which entity each placeholder of the rule stands for. */
function entitiesOf(action: Action, rule: Rule): ReadonlyMap<string, Entity> {
  const entities = new Map<string, Entity>();
  for (const [patterns, facts] of [
    [rule.before, action.before],
    [rule.after, action.after],
  ] as const)
    for (const [index, { placeholders }] of patterns.entries())
      for (const [position, { name }] of placeholders.entries()) {
        const entity = facts[index]?.entities[position];
        if (entity) entities.set(name, entity);
      }
  return entities;
}

function commandOf(rule: Rule | undefined, entities: ReadonlyMap<string, Entity>): string | null {
  if (rule?.command === undefined) return null;
  return rule.command.replace(/\{([^{}]*)\}/g, (_, name: string) => `{${entities.get(name)?.id ?? name}}`);
}

const writeInfo = (info: EntityInfo): unknown => ({
  id: info.id,
  type: info.type,
  name: info.name,
  noun: info.noun,
  adj: info.adjective,
  desc: info.description,
  room_type: info.roomType,
  definite: info.definite,
  indefinite: info.indefinite,
  synonyms: info.synonyms.length > 0 ? info.synonyms : null,
});
