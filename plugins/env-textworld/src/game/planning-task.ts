import type { KnownEntity, KnownFact } from '../logic/facts.js';
import { ActionTable, type GameAction } from './action-table.js';
import { Buckets } from './buckets.js';
import type { Game } from './game.js';
import type { GameState } from './game-state.js';
import { goalsOf, type EventGoal } from './goals.js';
import type { Backend } from './quest-progress.js';
import { RelaxedPlan, type PlanningAction, type PlanningGoal } from './relaxed-plan.js';
import { findTwins, kindOf } from './twins.js';
import { write } from './write-fact.js';

interface TaskAction extends PlanningAction {
  readonly action: GameAction;
  /** Equal for actions that differ only in which twins they are about. */
  readonly kind: string | undefined;
  /** The twins that it is about, as numbers into `twins`. */
  readonly twins: readonly number[];
}

interface TaskQuest {
  readonly wins: PlanningGoal;
  readonly fails: PlanningGoal;
  readonly isRequired: boolean;
  /** Its fail events end the game. */
  readonly canLose: boolean;
}

interface SearchNode {
  readonly words: Int32Array;
  /** By quest: it is completed. */
  readonly done: readonly boolean[];
  /** By twin: what holds of it. */
  readonly patterns: readonly string[];
  readonly parent: SearchNode | undefined;
  readonly action: TaskAction | undefined;
  readonly depth: number;
}

/** What became of a search for a plan. */
export type SearchResult = { readonly expanded: number } & (
  | { readonly kind: 'found'; readonly actions: readonly GameAction[] }
  /** No plan exists; the reason in words. */
  | { readonly kind: 'impossible'; readonly reason: string }
  /** The search was ended before it found a plan or tried everything. */
  | { readonly kind: 'given-up' }
);

/** First for a short plan, then, with more weight on the estimate, for any plan; with their shares of the limit. */
const rounds = [
  { weight: 1, share: 0.005 },
  { weight: 3, share: 0.195 },
  { weight: 5, share: 0.8 },
] as const;

/** Actions and facts that are looked at per state, on average; a search with more is ended earlier. */
const workPerState = 10_000;

const tasks = new WeakMap<Game, Map<Backend, PlanningTask>>();

/**
 * A game as a search problem: only actions that can help to complete a required quest, and facts that they or the
 * quests mention. Completed quests stay completed.
 */
export class PlanningTask {
  /** How many actions and facts the search is about. */
  readonly size: { readonly actions: number; readonly facts: number };
  private readonly table: ActionTable;
  private readonly actions: readonly TaskAction[];
  private readonly quests: readonly TaskQuest[];
  private readonly relaxed: RelaxedPlan;
  /** Numbers in the closed table, by number in the search. */
  private readonly facts: readonly number[];
  /** By twin: its group and its facts. */
  private readonly twins: readonly { readonly group: string; readonly facts: readonly number[] }[];
  /** One bit per fact that is about no twin. */
  private readonly single: Int32Array;

  /** The task of a game; the same object at every call. */
  static of(game: Game, backend: Backend): PlanningTask {
    let known = tasks.get(game);
    if (!known) tasks.set(game, (known = new Map<Backend, PlanningTask>()));
    let task = known.get(backend);
    if (!task) known.set(backend, (task = new PlanningTask(game, backend)));
    return task;
  }

  private constructor(game: Game, backend: Backend) {
    const table = ActionTable.closed(game);
    this.table = table;
    const goals = goalsOf(game);
    const inTable = (fact: number): KnownFact => table.facts.intern(goals.table.facts.facts[fact] as KnownFact);
    const event = ({ condition, told }: EventGoal): KnownFact[] =>
      (backend === 'story' ? told : condition).map(inTable);
    const quests = goals.quests.map(({ quest, wins, fails }) => ({
      wins: wins.map(event),
      fails: fails.map(event),
      isRequired: !quest.optional && wins.length > 0,
      canLose: backend === 'story' || !quest.optional,
    }));
    const wanted = quests.filter(({ isRequired }) => isRequired).flatMap(({ wins }) => wins.flat());
    const twins = findTwins(
      table,
      quests.flatMap(({ wins, fails }) => [...wins.flat(), ...fails.flat()]),
    );

    const numbers = new Map<number, number>();
    const number = (fact: number): number => {
      const known = numbers.get(fact);
      if (known !== undefined) return known;
      numbers.set(fact, numbers.size);
      return numbers.size - 1;
    };
    const always = new Set(table.start.filter((fact) => table.isStatic(fact)).map(({ index }) => index));
    const local = (facts: readonly number[]): number[] => facts.filter((fact) => !always.has(fact)).map(number);
    const localEvents = (events: readonly (readonly KnownFact[])[]): PlanningGoal =>
      events.map((facts) => local(facts.map(({ index }) => index)));
    const twinNumbers = new Map<KnownEntity, number>([...twins.keys()].map((entity, index) => [entity, index]));
    const possible = backend === 'story' ? table.actions.filter(storyAllows(table)) : table.actions;
    this.actions = relevantActions(possible, wanted).map((action) => ({
      action,
      kind: kindOf(action, twins),
      twins: action.entities.flatMap((entity) => twinNumbers.get(entity) ?? []),
      needs: local(action.needs),
      adds: local(action.adds),
      removes: local(action.removes),
    }));
    this.quests = quests.map((quest) => ({ ...quest, wins: localEvents(quest.wins), fails: localEvents(quest.fails) }));
    this.twins = [...twins.values()].map(({ group, facts }) => ({ group, facts: facts.map(number) }));
    this.facts = [...numbers.keys()];
    this.size = { actions: this.actions.length, facts: this.facts.length };
    this.single = new Int32Array((this.facts.length + 31) >>> 5).fill(-1);
    for (const { facts } of this.twins) for (const fact of facts) this.single[fact >>> 5]! &= ~(1 << (fact & 31));
    this.relaxed = new RelaxedPlan(this.actions, this.representatives());
  }

  /** By fact: the one that stands for it in estimates, which is the same for all twins. */
  private representatives(): number[] {
    const result = this.facts.map((_, fact) => fact);
    const first = new Map<string, number>();
    for (const { group, facts } of this.twins)
      for (const fact of facts) {
        const { name } = this.table.facts.facts[this.facts[fact] as number] as KnownFact;
        const key = `${group}\n${name}`;
        if (!first.has(key)) first.set(key, fact);
        result[fact] = first.get(key) as number;
      }
    return result;
  }

  /**
   * Looks for actions that complete all required quests from the state on. `completed` says which quests are completed
   * already, `limit` how many states are looked at.
   */
  search(state: GameState, completed: readonly boolean[], limit: number): SearchResult {
    const words = new Int32Array(this.single.length);
    for (const [index, fact] of this.facts.entries())
      if (state.has(this.table.facts.facts[fact] as KnownFact)) words[index >>> 5]! |= 1 << (index & 31);
    const done = this.quests.map((_, index) => completed[index] === true);
    const holdsNow = (event: readonly number[]): boolean => event.every((fact) => holds(words, fact));
    const isOpen = ({ isRequired, wins }: TaskQuest, index: number): boolean =>
      isRequired && done[index] !== true && !wins.some(holdsNow);
    if (!this.quests.some(isOpen)) {
      const idle = state.actions().find(({ adds, removes }) => adds.length === 0 && removes.length === 0);
      return { kind: 'found', actions: idle ? [idle] : [], expanded: 0 };
    }
    if (this.table.isCutShort) return { kind: 'given-up', expanded: 0 };
    const reason = this.impossibility(words, done);
    if (reason !== undefined) return { kind: 'impossible', reason, expanded: 0 };
    let expanded = 0;
    for (const { weight, share } of rounds) {
      const result = this.searchWith(words, done, weight, Math.ceil(limit * share));
      expanded += result.expanded;
      if (result.kind !== 'given-up') return { ...result, expanded };
    }
    return { kind: 'given-up', expanded };
  }

  /** Why some quest can never be completed, if that is seen at once. */
  private impossibility(words: Int32Array, done: readonly boolean[]): string | undefined {
    this.relaxed.estimate(words, []);
    for (const [index, { wins, isRequired }] of this.quests.entries()) {
      if (!isRequired || done[index] === true) continue;
      const missing = wins.map((event) => event.find((fact) => !this.relaxed.isReached(fact)));
      if (missing.includes(undefined)) continue;
      const fact = this.table.facts.facts[this.facts[missing[0] as number] as number] as KnownFact;
      return `quests[${index}] cannot be completed: ${write(fact)} can never hold`;
    }
    return undefined;
  }

  /** Best-first search by number of actions so far plus `weight` times the estimate. */
  private searchWith(words: Int32Array, done: readonly boolean[], weight: number, limit: number): SearchResult {
    const patterns = this.patternsOf(words);
    const first: SearchNode = { words, done, patterns, parent: undefined, action: undefined, depth: 0 };
    const seen = new Set([this.keyOf(first)]);
    const open = new Buckets<SearchNode>();
    open.add(0, first);
    let expanded = 0;
    let work = 0;
    for (let node = open.take(); node; node = open.take()) {
      work += this.actions.length;
      if (expanded >= limit || work > limit * workPerState) return { kind: 'given-up', expanded };
      expanded++;
      for (const action of this.actionsIn(node)) {
        const next = this.after(node, action);
        if (!next) continue;
        const key = this.keyOf(next);
        if (seen.has(key)) continue;
        seen.add(key);
        const goals = this.quests.filter(({ isRequired }, index) => isRequired && next.done[index] !== true);
        if (goals.length === 0) return { kind: 'found', actions: pathTo(next), expanded };
        const wins = goals.map((quest) => quest.wins);
        work += this.relaxed.size;
        const estimate = this.relaxed.estimate(next.words, wins);
        if (estimate < Infinity) open.add(next.depth + weight * estimate, next);
      }
    }
    return { kind: 'impossible', reason: 'all that could help was tried, and nothing wins', expanded };
  }

  /** The actions that are possible, one for all that differ only in which of equal twins they are about. */
  private actionsIn({ words, patterns }: SearchNode): TaskAction[] {
    const kinds = new Set<string>();
    return this.actions.filter(({ needs, kind, twins }) => {
      for (const fact of needs) if (!holds(words, fact)) return false;
      if (kind === undefined) return true;
      const key = `${kind}\n${twins.map((twin) => patterns[twin]).join('\n')}`;
      if (kinds.has(key)) return false;
      kinds.add(key);
      return true;
    });
  }

  /** The node after an action; undefined if the action loses the game. */
  private after(node: SearchNode, action: TaskAction): SearchNode | undefined {
    const words = node.words.slice();
    for (const fact of action.removes) words[fact >>> 5]! &= ~(1 << (fact & 31));
    for (const fact of action.adds) words[fact >>> 5]! |= 1 << (fact & 31);
    const happens = (event: readonly number[]): boolean => event.every((fact) => holds(words, fact));
    const done = [...node.done];
    for (const [index, { wins, fails, canLose }] of this.quests.entries()) {
      if (done[index] === true) continue;
      if (canLose && fails.some(happens)) return undefined;
      done[index] = wins.some(happens);
    }
    const patterns = action.twins.length > 0 ? this.patternsOf(words) : node.patterns;
    return { words, done, patterns, parent: node, action, depth: node.depth + 1 };
  }

  private patternsOf(words: Int32Array): string[] {
    return this.twins.map(
      ({ group, facts }) => `${group} ${facts.map((fact) => (holds(words, fact) ? '1' : '0')).join('')}`,
    );
  }

  /** Equal for nodes from which the same can be done, up to twins. */
  private keyOf({ words, done, patterns }: SearchNode): string {
    let key = '';
    for (let word = 0; word < words.length; word++) {
      const bits = words[word]! & this.single[word]!;
      key += String.fromCharCode(bits & 0xffff, bits >>> 16);
    }
    for (const each of done) key += each ? '1' : '0';
    return patterns.length === 0 ? key : `${key}${[...patterns].sort().join('\n')}`;
  }
}

const holds = (words: Int32Array, fact: number): boolean => ((words[fact >>> 5]! >>> (fact & 31)) & 1) !== 0;

function pathTo(node: SearchNode): GameAction[] {
  const actions: GameAction[] = [];
  for (let step: SearchNode | undefined = node; step?.action; step = step.parent) actions.push(step.action.action);
  return actions.reverse();
}

/**
 * Whether a story may do what the rules allow. The rules of cooking games make a meal from the first ingredients of a
 * recipe alone; their stories ask for all of them.
 */
function storyAllows({ start }: ActionTable): (action: GameAction) => boolean {
  const ingredients = new Set(start.map(({ name }) => name).filter((name) => /^ingredient_\d+$/.test(name)));
  return ({ rule }) => !rule.startsWith('make/recipe/') || rule === `make/recipe/${ingredients.size}`;
}

/** Actions that add a wanted fact, or one that such an action needs, and so on. The others can never help. */
function relevantActions(actions: readonly GameAction[], wanted: readonly KnownFact[]): readonly GameAction[] {
  const adding = new Map<number, GameAction[]>();
  for (const action of actions)
    for (const fact of action.adds) {
      const list = adding.get(fact);
      if (list) list.push(action);
      else adding.set(fact, [action]);
    }
  const relevant = new Set<GameAction>();
  const seen = new Set(wanted.map(({ index }) => index));
  for (const fact of seen)
    for (const action of adding.get(fact) ?? []) {
      if (relevant.has(action)) continue;
      relevant.add(action);
      for (const need of action.needs) seen.add(need);
    }
  return [...relevant].sort((one, other) => one.order - other.order);
}
