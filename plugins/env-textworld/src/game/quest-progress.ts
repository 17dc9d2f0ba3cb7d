import type { Action } from '../logic/logic.js';
import type { ActionTree, Policy } from './action-tree.js';
import type { Game } from './game.js';
import { GameState } from './game-state.js';
import { goalsOf, type EventGoal, type Goals, type QuestGoal } from './goals.js';
import { copyQuest, shortestTree, startQuest, updateQuest, type EventTrack, type QuestTrack } from './quest-tracks.js';
import type { Step } from './steps.js';

/**
 * Which of the original's two ways to play decides where they differ. `story`: a compiled game decides about score and
 * end; every fail event ends it, and conditions count from the first turn on. `json`: the tracker of the quests
 * decides; the game is also lost when it cannot tell any more how to finish a required quest, and events count from
 * the start.
 */
export type Backend = 'story' | 'json';

export interface ProgressOptions {
  readonly backend: Backend;
  /** Follow the policy, for rewards and `winningPolicy`. The backend `json` needs it to know about losses. */
  readonly policy: boolean;
}

const starts = new WeakMap<Game, Map<string, QuestProgress>>();

/** Score, end and rewards of a game that is being played, and the actions that would win it. */
export class QuestProgress {
  score = 0;
  won = false;
  lost = false;
  /** Intermediate reward of the last turn: 1 won, -1 lost, else whether the winning policy became shorter or longer. */
  reward = 0;
  private readonly goals: Goals;
  private tracks: readonly QuestTrack[] = [];
  /** By quest: a compiled game takes it for completed. */
  private completed: boolean[] = [];
  private plan: Policy | undefined;
  private isPlanned = false;

  /** The progress at the start of the game. */
  static start(game: Game, options: ProgressOptions = { backend: 'story', policy: true }): QuestProgress {
    let known = starts.get(game);
    if (!known) starts.set(game, (known = new Map<string, QuestProgress>()));
    const key = `${options.backend} ${options.policy}`;
    let start = known.get(key);
    if (!start) {
      start = new QuestProgress(game, options);
      start.begin();
      known.set(key, start);
    }
    return start.copy();
  }

  private constructor(
    readonly game: Game,
    private readonly options: ProgressOptions,
  ) {
    this.goals = goalsOf(game);
  }

  get backend(): Backend {
    return this.options.backend;
  }

  get done(): boolean {
    return this.won || this.lost;
  }

  /** By quest: whether it is completed; as the tracker or as the story sees it. */
  get completedQuests(): readonly boolean[] {
    if (this.options.backend === 'story') return this.completed;
    return this.tracks.map(({ goal, wins, completions }) =>
      goal.quest.repeatable ? completions > 0 : wins.some(({ triggered }) => triggered),
    );
  }

  /** Takes account of a turn, after `state.apply(action)`; without an action if nothing in the logic was done. */
  update(action: Action | undefined, state: GameState): void {
    const before = this.options.policy ? this.findPlan() : undefined;
    if (action && this.isTracking) {
      const step = this.goals.trees.steps.of(action);
      this.updateTracks(step, state);
    }
    if (this.options.backend === 'story') this.playStory(state);
    else this.judge();
    this.reward = this.won ? 1 : this.lost ? -1 : this.change(before);
  }

  /** Takes account of a command that was not understood: no turn passes. */
  pass(): void {
    this.reward = this.options.backend === 'json' ? Number(this.won) - Number(!this.won && this.lost) : 0;
  }

  /**
   * Actions that win the game, as far as the tracker knows; undefined if it does not, or if the game is over. Actions
   * may be missing from the rules (`r_eat`): they undo what no rule undoes.
   */
  winningPolicy(): readonly Action[] | undefined {
    const { table } = this.goals;
    return this.findPlan()?.steps.map(({ action }) => table.intern(action) ?? action);
  }

  /** How much the winning policy takes; undefined if there is none. It need not be written for this. */
  remaining(): { readonly actions: number; readonly deeds: number } | undefined {
    const plan = this.findPlan();
    return plan && { actions: plan.steps.length, deeds: plan.deeds };
  }

  /** A progress of its own, equal to this one. */
  copy(): QuestProgress {
    const copy = new QuestProgress(this.game, this.options);
    copy.tracks = this.tracks.map(copyQuest);
    copy.completed = [...this.completed];
    copy.plan = this.plan;
    copy.isPlanned = this.isPlanned;
    copy.score = this.score;
    copy.won = this.won;
    copy.lost = this.lost;
    copy.reward = this.reward;
    return copy;
  }

  /** A copy that gives no policies and rewards any more, as far as it does not need them for itself; it is faster. */
  copyWithoutPolicy(): QuestProgress {
    if (this.options.backend === 'json') return this.copy();
    const copy = new QuestProgress(this.game, { backend: 'story', policy: false });
    copy.completed = [...this.completed];
    copy.score = this.score;
    copy.won = this.won;
    copy.lost = this.lost;
    return copy;
  }

  /**
   * Equal for two points of a game exactly if score and end are, and will be in equal states. Policies do not count: they
   * depend on the way, not only on the state.
   */
  key(): string {
    let key = `${this.score}${this.won ? 'w' : ''}${this.lost ? 'l' : ''}/`;
    for (const isCompleted of this.completed) key += isCompleted ? '1' : '0';
    for (const { wins, fails, completions } of this.tracks) {
      key += `/${completions}`;
      for (const event of wins) key += keyOfEvent(event);
      for (const event of fails) key += keyOfEvent(event);
    }
    return key;
  }

  private begin(): void {
    const { quests } = this.goals;
    this.completed = quests.map(() => false);
    if (!this.isTracking) return;
    this.tracks = quests.map(startQuest);
    const state = GameState.start(this.game);
    this.updateTracks(undefined, state);
    if (this.options.backend === 'json') this.judge();
    this.findPlan();
  }

  private get isTracking(): boolean {
    return this.options.policy || this.options.backend === 'json';
  }

  private updateTracks(step: Step | undefined, state: GameState): void {
    for (const track of this.tracks) if (updateQuest(track, step, state, this.goals.trees)) this.isPlanned = false;
  }

  /** Score and end as the tracker sees them (`GameProgression`). */
  private judge(): void {
    this.score = this.tracks.reduce((sum, { goal, completions }) => sum + goal.quest.reward * completions, 0);
    const required = this.tracks.filter(({ goal }) => !goal.quest.optional);
    this.won =
      this.tracks.length > 0 &&
      required.every(({ wins }) => wins.length === 0 || wins.some(({ triggered }) => triggered));
    this.lost = required.some(
      ({ wins, fails }) => fails.some(({ triggered }) => triggered) || wins.some(({ lost }) => lost),
    );
  }

  /** What a compiled story does every turn (`Inform7Game.gen_source` of `generator/inform7/world2inform7.py`). */
  private playStory(state: GameState): void {
    const { quests } = this.goals;
    const happens = ({ told }: EventGoal): boolean => holdAll(told, state);
    let isOpen = false;
    let hasRequired = false;
    for (let index = 0; index < quests.length; index++) {
      const { quest, wins, fails } = quests[index] as QuestGoal;
      if (!this.completed[index]) {
        if (fails.some(happens)) {
          this.lost = true;
        } else if (wins.some(happens)) {
          this.score += quest.reward;
          if (!quest.repeatable) this.completed[index] = true;
        }
      }
      if (quest.optional || wins.length === 0) continue;
      hasRequired = true;
      if (!this.completed[index]) isOpen = true;
    }
    this.won = hasRequired && !isOpen;
    if (this.won) this.lost = false;
  }

  /** The tracker's winning policy (`GameProgression.winning_policy`). */
  private findPlan(): Policy | undefined {
    if (this.isPlanned) return this.plan;
    this.isPlanned = true;
    this.plan = undefined;
    const trees: ActionTree[] = [];
    let isCompleted = true;
    for (const track of this.tracks) {
      const { goal, wins, fails } = track;
      if (goal.quest.optional) continue;
      if (fails.some(({ triggered }) => triggered) || wins.some(({ lost }) => lost)) return undefined;
      if (wins.length === 0 || wins.some(({ triggered }) => triggered)) continue;
      isCompleted = false;
      const tree = shortestTree(wins);
      if (!tree) return undefined;
      trees.push(tree);
    }
    if (isCompleted) return undefined;
    this.plan = this.goals.trees.policyOf(trees);
    return this.plan;
  }

  private change(before: Policy | undefined): number {
    const after = this.options.policy ? this.findPlan() : undefined;
    return before && after ? Math.sign(before.steps.length - after.steps.length) : 0;
  }
}

function holdAll(facts: readonly number[], state: GameState): boolean {
  for (const fact of facts) if (!state.holds(fact)) return false;
  return true;
}

function keyOfEvent({ triggered, lost }: EventTrack): string {
  return String(Number(triggered) + 2 * Number(lost));
}
