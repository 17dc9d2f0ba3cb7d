import type { EntityInfo, Game, GameEvent, Quest } from '../game/game.js';
import { GameState } from '../game/game-state.js';
import { planActions } from '../game/plan-actions.js';
import { QuestProgress } from '../game/quest-progress.js';
import { maximumScoreOf } from '../game/read-game.js';
import type { EventDraft, FixedWords, GameDraft, QuestDraft } from '../generate/draft.js';
import { NumpyRandom } from '../generate/numpy-random.js';
import type { Action, Entity } from '../logic/logic.js';
import { commandOf, commandText, type NameOf } from './command-text.js';
import { Describer, type DescribedEntity } from './describer.js';
import { DraftWorld } from './draft-world.js';
import { QuestTeller } from './quest-teller.js';
import { nameEntities } from './name-entities.js';

export interface ProseOptions {
  /** From 0 to 2^32 - 1. The same draft with the same options gives the same game. */
  readonly seed: number;
  /** What an objective of kind `steps` tells: every action, which is the default, or the last one of each quest. */
  readonly instructions?: 'steps' | 'last';
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

const player: Entity = { id: 'P', type: 'P' };
const inventory: Entity = { id: 'I', type: 'I' };

/**
 * Makes a game of a draft: names and describes its rooms and things, and tells the player what to do. Words that the
 * draft has decided stay.
 */
export function writeProse(draft: GameDraft, { seed, instructions = 'steps' }: ProseOptions): Game {
  const { logic, facts, quests } = draft;
  // Names, objective and descriptions are drawn apart, so that a thing more does not change the others.
  const random = new NumpyRandom(seed);
  const objectiveRandom = new NumpyRandom(random.integer(0, 2 ** 32));
  const descriptionRandom = new NumpyRandom(random.integer(0, 2 ** 32));

  const world = new DraftWorld(facts, logic.types, questEntities(quests));
  const words = new Map<string, DescribedEntity>();
  for (const [id, named] of nameEntities(draft, world, random)) {
    const { indefinite = null, definite = null } = draft.words.get(id) ?? {};
    words.set(id, { ...named, indefinite, definite });
  }
  const describer = new Describer(world, logic.types, words, descriptionRandom);
  const entities = [player, inventory, ...world.entities.filter(({ id }) => id !== 'P' && id !== 'I')];
  const infos = new Map(
    entities.map((entity) => [entity.id, infoOf(entity, words.get(entity.id), draft.words.get(entity.id), describer)]),
  );

  const nameOf: NameOf = (id) => infos.get(id)?.name ?? undefined;
  const teller = new QuestTeller(logic.types, (id) => words.get(id), objectiveRandom);
  const game: Mutable<Game> = {
    logic,
    facts,
    entities: new Map(entities.map((entity) => [entity.id, entity])),
    infos,
    quests: quests.map((quest) => writeQuest(quest, nameOf, teller)),
    objective: draft.objective.kind === 'text' ? draft.objective.text : '',
    walkthrough: draft.walkthrough?.map((command) => commandText(command, nameOf)),
    maximumScore: maximumScoreOf(quests),
  };
  const isTold = draft.objective.kind === 'steps' && instructions === 'steps';
  if (draft.objective.kind === 'steps' && !isTold) game.objective = teller.ends(waysToWin(quests));
  if (!isTold && (game.walkthrough || waysToWin(quests).some(({ length }) => length === 0))) return game;
  // What is known about playing a game is kept with this object, so it gets the plan that is found with it.
  const plan = planActions(GameState.start(game), QuestProgress.start(game));
  game.walkthrough ??= plan?.map((action) => commandOf(action, nameOf));
  if (isTold) game.objective = teller.steps(plan ?? []);
  return game;
}

/** The actions of the shortest known way to each quest that must be won. */
function waysToWin(quests: readonly QuestDraft[]): (readonly Action[])[] {
  return quests
    .filter(({ optional, wins }) => !optional && wins.length > 0)
    .map(({ wins }) => {
      const known = wins.map(({ actions }) => actions).filter(({ length }) => length > 0);
      return known.reduce(
        (shortest, actions) => (actions.length < shortest.length ? actions : shortest),
        known[0] ?? [],
      );
    });
}

function infoOf(
  { id, type }: Entity,
  named: DescribedEntity | undefined,
  fixed: FixedWords | undefined,
  describer: Describer,
): EntityInfo {
  const isNobody = id === 'P' || id === 'I';
  const describe = (): string => (named ? describer.describe({ id, type }) : '');
  return {
    id,
    type,
    // A compiled game needs texts for everything, also for what nobody meets.
    name: isNobody ? null : (named?.name ?? fixed?.name ?? ''),
    noun: named?.noun ?? null,
    adjective: named?.adjective ?? null,
    description: isNobody ? null : (fixed?.description ?? describe()),
    definite: named?.definite ?? null,
    indefinite: named?.indefinite ?? null,
    synonyms: fixed?.synonyms ?? [],
    roomType: named?.roomType ?? null,
  };
}

function writeQuest({ wins, fails, ...quest }: QuestDraft, nameOf: NameOf, teller: QuestTeller): Quest {
  const write = ({ condition, actions }: EventDraft): GameEvent => ({
    condition,
    actions,
    commands: actions.map((action) => commandOf(action, nameOf)),
  });
  const events = wins.map(write);
  return {
    ...quest,
    description: teller.ends(wins.slice(0, 1).map(({ actions }) => actions)),
    wins: events,
    fails: fails.map(write),
    commands: events[0]?.commands ?? [],
  };
}

function questEntities(quests: readonly QuestDraft[]): Entity[] {
  return quests
    .flatMap(({ wins, fails }) => [...wins, ...fails])
    .flatMap(({ condition, actions }) => [
      ...condition,
      ...actions.flatMap(({ before, after }) => [...before, ...after]),
    ])
    .flatMap(({ entities }) => entities);
}
