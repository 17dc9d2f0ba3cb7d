/** An action of a `PlanningTask`: numbers of facts that it needs, adds and removes. */
export interface PlanningAction {
  readonly needs: readonly number[];
  readonly adds: readonly number[];
  readonly removes: readonly number[];
}

/** Sets of facts of which one must hold, per goal. */
export type PlanningGoal = readonly (readonly number[])[];

const never = -1;

/**
 * Estimates how many actions reach all goals, disregarding that actions also remove facts: facts are reached in layers,
 * and actions are gathered from the goals backwards (the heuristic of the planner FF, Hoffmann and Nebel 2001).
 */
export class RelaxedPlan {
  /** Actions that need a fact, by its number. */
  private readonly usersOf: number[][];
  private readonly missing: Int32Array;
  private readonly needCounts: Int32Array;
  private readonly withoutNeeds: readonly number[];
  private readonly layerOfFact: Int32Array;
  private readonly supporter: Int32Array;
  private readonly difficulty: Int32Array;
  private readonly isWanted: Uint8Array;
  private readonly isChosen: Uint8Array;
  private readonly queue: Int32Array;
  private readonly actions: readonly PlanningAction[];

  /** @param numberOf By fact: which fact stands for it, such as one for all facts that are as good as each other. */
  constructor(
    actions: readonly PlanningAction[],
    private readonly numberOf: readonly number[],
  ) {
    const factCount = numberOf.length;
    this.actions = withoutEqual(actions, numberOf);
    this.usersOf = Array.from({ length: factCount }, () => []);
    for (const [index, { needs }] of this.actions.entries()) for (const fact of needs) this.usersOf[fact]?.push(index);
    this.missing = new Int32Array(this.actions.length);
    this.needCounts = Int32Array.from(this.actions, ({ needs }) => needs.length);
    this.withoutNeeds = this.actions.flatMap(({ needs }, index) => (needs.length === 0 ? [index] : []));
    this.layerOfFact = new Int32Array(factCount);
    this.supporter = new Int32Array(factCount);
    this.difficulty = new Int32Array(this.actions.length);
    this.isWanted = new Uint8Array(factCount);
    this.isChosen = new Uint8Array(this.actions.length);
    this.queue = new Int32Array(factCount);
  }

  /** How much work an estimate is. */
  get size(): number {
    return this.actions.length + this.numberOf.length;
  }

  /** The number of actions; infinite if some goal cannot be reached. `holding` has one bit per fact. */
  estimate(holding: Int32Array, goals: readonly PlanningGoal[]): number {
    this.reach(holding);
    this.isWanted.fill(0);
    this.isChosen.fill(0);
    let count = 0;
    for (const goal of goals) {
      const event = this.easiest(goal);
      if (!event) return Infinity;
      count += this.choose(event);
    }
    return count;
  }

  /** Whether the fact can be reached, after `estimate`. */
  isReached(fact: number): boolean {
    return this.layerOfFact[this.numberOf[fact] as number] !== never;
  }

  private reach(holding: Int32Array): void {
    const { actions, missing, layerOfFact, supporter, difficulty, queue } = this;
    layerOfFact.fill(never);
    difficulty.fill(0);
    missing.set(this.needCounts);
    let end = 0;
    for (let word = 0; word < holding.length; word++) {
      for (let bits = holding[word] as number; bits !== 0; bits &= bits - 1) {
        const fact = this.numberOf[(word << 5) + 31 - Math.clz32(bits & -bits)] as number;
        if (layerOfFact[fact] === 0) continue;
        layerOfFact[fact] = 0;
        queue[end++] = fact;
      }
    }
    const start = (index: number, layer: number): void => {
      for (const fact of (actions[index] as PlanningAction).adds) {
        const known = layerOfFact[fact] as number;
        if (known === never) {
          layerOfFact[fact] = layer;
          supporter[fact] = index;
          queue[end++] = fact;
        } else if (known === layer && difficulty[index]! < difficulty[supporter[fact]!]!) {
          supporter[fact] = index;
        }
      }
    };
    for (const index of this.withoutNeeds) start(index, 1);
    for (let next = 0; next < end; next++) {
      const fact = queue[next] as number;
      const layer = layerOfFact[fact] as number;
      for (const index of this.usersOf[fact] as readonly number[]) {
        difficulty[index]! += layer;
        if (--missing[index]! === 0) start(index, layer + 1);
      }
    }
  }

  /** The event whose facts are reached with the least trouble. */
  private easiest(goal: PlanningGoal): readonly number[] | undefined {
    let easiest: readonly number[] | undefined;
    let least = Infinity;
    for (const event of goal) {
      let trouble = 0;
      for (const fact of event) trouble += this.isReached(fact) ? (this.layerOfFact[fact] as number) : Infinity;
      if (trouble >= least) continue;
      least = trouble;
      easiest = event;
    }
    return easiest;
  }

  private choose(facts: readonly number[]): number {
    let count = 0;
    const open = [...facts];
    for (let fact = open.pop(); fact !== undefined; fact = open.pop()) {
      if (this.isWanted[fact] === 1 || this.layerOfFact[fact] === 0) continue;
      this.isWanted[fact] = 1;
      const index = this.supporter[fact] as number;
      if (this.isChosen[index] === 1) continue;
      this.isChosen[index] = 1;
      count++;
      open.push(...(this.actions[index] as PlanningAction).needs);
    }
    return count;
  }
}

function withoutEqual(actions: readonly PlanningAction[], numberOf: readonly number[]): readonly PlanningAction[] {
  const different = new Map<string, PlanningAction>();
  const renumber = (facts: readonly number[]): number[] =>
    [...new Set(facts.map((fact) => numberOf[fact] as number))].sort((one, other) => one - other);
  for (const { needs, adds } of actions) {
    const action = { needs: renumber(needs), adds: renumber(adds), removes: [] };
    const key = `${action.needs.join()} ${action.adds.join()}`;
    if (!different.has(key)) different.set(key, action);
  }
  return [...different.values()];
}
