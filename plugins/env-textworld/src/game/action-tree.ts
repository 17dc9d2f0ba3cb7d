import { ActionForest, Chains, type Node } from './action-forest.js';
import type { ActionTable } from './action-table.js';
import { Steps, type Step } from './steps.js';

/** What becomes of a tree when a step is done. */
export interface Transition {
  readonly tree: ActionTree;
  /** The step brought the event nearer or moved it away. */
  readonly changed: boolean;
  /** The logic has a rule that undoes the step. */
  readonly isReversible: boolean;
}

/** What is to be done for several trees, without the conditions of events. */
export interface Policy {
  readonly steps: readonly Step[];
  /** Steps that do more than walk. */
  readonly deeds: number;
}

/** Trees that are kept at the same time. Beyond, the older ones are forgotten and made again when they are needed. */
const maximumTrees = 5_000;

/** Makes the trees of a game; equal trees are one object, and what was worked out about a tree is kept. */
export class ActionTrees {
  readonly steps: Steps;
  readonly empty: ActionTree;
  /** Grows when trees are forgotten. */
  epoch = 0;
  private readonly chains = new Chains();
  private trees = new Map<string, ActionTree>();
  private merged = new Map<string, Policy | undefined>();
  private count = 0;

  constructor(table: ActionTable) {
    this.steps = new Steps(table);
    this.empty = this.tree(new ActionForest(this.steps, this.chains));
  }

  /** The tree of a policy: the last step is its root. */
  ofPolicy(policy: readonly Step[]): ActionTree {
    const forest = new ActionForest(this.steps, this.chains);
    for (let index = policy.length - 1; index >= 0; index--) forest.push(policy[index] as Step);
    return this.tree(forest);
  }

  /** The one object for a forest, which must not change afterwards. */
  tree(forest: ActionForest): ActionTree {
    const key = forest.key();
    let tree = this.trees.get(key);
    if (!tree) {
      if (this.trees.size >= maximumTrees) this.forget();
      tree = new ActionTree(this, forest, this.count++);
      this.trees.set(key, tree);
    }
    return tree;
  }

  /** The policy of several trees together; undefined if there is no end to it. */
  policyOf(trees: readonly ActionTree[]): Policy | undefined {
    let key = '';
    for (const { id } of trees) key += ` ${id}`;
    if (this.merged.has(key)) return this.merged.get(key);
    const roots: Node[] = [];
    for (const { forest } of trees) forest.deepCopyInto(roots);
    const steps = new ActionForest(this.steps, this.chains, roots).flatten()?.filter(({ isTrigger }) => !isTrigger);
    const policy = steps && { steps, deeds: steps.filter(({ name }) => !name.startsWith('go/')).length };
    if (this.merged.size >= maximumTrees) this.merged.clear();
    this.merged.set(key, policy);
    return policy;
  }

  private forget(): void {
    this.epoch++;
    this.trees.clear();
    this.chains.clear();
  }
}

const unchanged = (tree: ActionTree): Transition => ({ tree, changed: false, isReversible: true });

/** A tree of actions that does not change; what comes of it is worked out once. */
export class ActionTree {
  private epoch = -1;
  private transitions = new Map<number, Transition>();
  private flat: readonly Step[] | undefined | null = null;

  constructor(
    private readonly trees: ActionTrees,
    readonly forest: ActionForest,
    readonly id: number,
  ) {}

  get isEmpty(): boolean {
    return this.forest.roots.length === 0;
  }

  /** The steps of the tree in an order in which they can be done; undefined if there is no end to them. */
  get policy(): readonly Step[] | undefined {
    if (this.flat === null) this.flat = this.forest.copy().flatten();
    return this.flat;
  }

  /** The tree after a step. */
  after(step: Step): Transition {
    if (this.epoch !== this.trees.epoch) {
      this.epoch = this.trees.epoch;
      this.transitions = new Map();
    }
    let transition = this.transitions.get(step.index);
    if (!transition) {
      transition = this.forest.isTouchedBy(step) ? this.without(step) : unchanged(this);
      this.transitions.set(step.index, transition);
    }
    return transition;
  }

  private without(step: Step): Transition {
    const forest = this.forest.copy();
    const { changed, reversed } = forest.remove(step);
    return { tree: this.trees.tree(forest), changed, isReversible: reversed !== undefined };
  }
}
