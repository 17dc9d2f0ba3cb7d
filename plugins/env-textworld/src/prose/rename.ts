import { GameState } from '../game/game-state.js';
import type { EntityInfo, Game, GameEvent } from '../game/game.js';
import type { FixedWords } from '../generate/draft.js';
import { NumpyRandom } from '../generate/numpy-random.js';
import { withCapital, withIndefinite } from './article.js';
import { commandOf, commandText, type NameOf } from './command-text.js';
import { DraftWorld } from './draft-world.js';
import { namingOf, nameEntities } from './name-entities.js';

/**
 * The same game under other names: same ids, facts and quests. Names are changed in all texts, also in those of games
 * that were read from files. Names that commands have in them, such as the meal of `prepare meal`, stay.
 *
 * @param seed from 0 to 2^32 - 1
 */
export function rename(game: Game, seed: number): Game {
  const { logic, facts, infos, quests } = game;
  const world = new DraftWorld(facts, logic.types, game.entities.values());
  const kept = keptWords(game);
  // Not the names that `writeProse` draws from the same seed.
  const random = new NumpyRandom(new NumpyRandom(seed).integer(0, 2 ** 32));
  const newNames = nameEntities({ logic, quests, words: kept }, world, random);

  const changed = new Map<string, EntityInfo>();
  const byOldName = new Map<string, string>();
  for (const [id, info] of infos) {
    const words = newNames.get(id);
    if (!info.name || !words || kept.get(id)?.name !== undefined) continue;
    const { name, noun, adjective } = words;
    changed.set(id, { ...info, name, noun, adjective, definite: null, indefinite: null });
    byOldName.set(info.name, name);
  }
  const retell = replacer(byOldName);
  const nameOf: NameOf = (id) => (changed.get(id) ?? infos.get(id))?.name ?? undefined;
  const retellEvent = (event: GameEvent): GameEvent => {
    const { actions, commands } = event;
    // Compiled games name an action by its command; what an event tells without actions is text.
    const isKnown = actions.length === commands.length;
    return { ...event, commands: isKnown ? actions.map((action) => commandOf(action, nameOf)) : commands.map(retell) };
  };
  return {
    ...game,
    infos: new Map(
      Array.from(infos, ([id, info]) => {
        const { description, ...rest } = changed.get(id) ?? info;
        return [id, { ...rest, description: description === null ? null : retell(description) }];
      }),
    ),
    quests: quests.map((quest) => {
      const wins = quest.wins.map(retellEvent);
      const commands = wins[0]?.commands ?? quest.commands.map(retell);
      return { ...quest, wins, fails: quest.fails.map(retellEvent), commands, description: retell(quest.description) };
    }),
    objective: retell(game.objective),
    walkthrough: game.walkthrough && retellWalkthrough(game, game.walkthrough, nameOf, retell),
  };
}

/** Room types, and the names that do not change. */
function keptWords({ logic, infos }: Game): ReadonlyMap<string, FixedWords> {
  const commands = Array.from(logic.rules.values(), ({ command = '' }) => command.replace(/\{[^{}]*\}/g, ' '));
  const commandWords = new Set(commands.flatMap((command) => command.split(' ')));
  return new Map(
    Array.from(infos.values(), ({ id, type, name, noun, adjective, roomType }) => {
      const isNamedByUs = logic.types.isA(type, 'r') || namingOf(type, logic.types) !== undefined;
      const isKept = name !== null && (!isNamedByUs || name.split(' ').every((word) => commandWords.has(word)));
      return [
        id,
        {
          ...(roomType !== null && { roomType }),
          ...(isKept && { name, ...(noun !== null && { noun }), ...(adjective !== null && { adjective }) }),
        },
      ];
    }),
  );
}

/** Commands of the walkthrough, found by what they do. */
function retellWalkthrough(
  game: Game,
  walkthrough: readonly string[],
  nameOf: NameOf,
  retell: (text: string) => string,
): readonly string[] {
  const state = GameState.start(game);
  return walkthrough.map((command) => {
    const action = state.actionFor(command);
    if (!action) return retell(command);
    state.apply(action);
    return commandText(action.command ?? command, nameOf);
  });
}

/** Replaces names, the longest that fits, with the article before them; not in brackets, where ids are. */
function replacer(byOldName: ReadonlyMap<string, string>): (text: string) => string {
  if (byOldName.size === 0) return (text) => text;
  const names = [...byOldName.keys()].sort((one, other) => other.length - one.length);
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'));
  const pattern = new RegExp(`(?<![\\w-])(?:([Aa]n?|[Ss]ome) )?(${escaped.join('|')})(?![\\w-])`, 'g');
  const replace = (text: string): string =>
    text.replace(pattern, (_, article: string | undefined, old: string) => {
      const name = byOldName.get(old) as string;
      if (article === undefined) return name;
      const both = withIndefinite({ name, indefinite: null, definite: null });
      return /^[AS]/.test(article) ? withCapital(both) : both;
    });
  return (text) =>
    text
      .split(/(\[[^[\]]*\])/)
      .map((part) => (part.startsWith('[') ? part : replace(part)))
      .join('');
}
