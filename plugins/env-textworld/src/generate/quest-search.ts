// The search behind `chainQuest`: depth first over states, each of which has an action taken back.
import type { Fact, Logic } from '../logic/logic.js';
import { CandidateShuffle } from './candidate-shuffle.js';
import { chainLogic } from './chain-logic.js';
import type { ChainOptions, ChainStep, QuestChain } from './chain-options.js';
import { ChainState, type BackwardAction, type ChainNode, type Outcome } from './chain-state.js';
import type { NumpyRandom } from './numpy-random.js';
import { QuestGenerationError } from './quest-generation-error.js';
import { allVariants, type RuleVariant } from './rule-variants.js';
import { WayFinder, type Candidate, type KnownWays } from './way-finder.js';

/** A node with what it was made of. */
interface SearchNode extends ChainNode {
  readonly parent: SearchNode | undefined;
  readonly needs: SearchNode | undefined;
  /** Absent for the root. */
  readonly origin?: Origin;
}

/** A candidate with its place in the tree of the quest. */
interface Option {
  readonly candidate: Candidate;
  readonly needs: SearchNode;
  /** What the branch before has in this place: it and the actions tried before it are not repeated. */
  readonly sibling: SearchNode | undefined;
}

/** Options that continue a node. The last one is tried first. */
interface Frame {
  readonly node: SearchNode;
  readonly breadth: number;
  readonly options: readonly Option[];
  /** How many options are still to be tried, from the first. */
  left: number;
  /** What the last of them does, once it is known to be possible. */
  next: Outcome | undefined;
}

/** Where a node comes from, and the actions that were used in its place up to it, once they are asked for. */
interface Origin {
  readonly frame: Frame;
  readonly index: number;
  used: ReadonlySet<string> | undefined;
}

/** Names of rules that no quest needs. */
const changesNothing = /^(?:examine|look|inventory)/;
/** Stands for the names of all other rules. */
const changing: readonly string[] = [];
/** Variants of the rules with given names; searches with the same options share them. */
const chosenVariants = new WeakMap<readonly RuleVariant[], WeakMap<readonly string[], readonly RuleVariant[]>>();

/** How much work the parts of a search are, beside one for each way that is shuffled. Nothing here depends on time. */
const efforts = { limit: 500e6, search: 100, candidate: 10, outcome: 300 };

/** One search for a quest. */
export class QuestSearch {
  private readonly state: ChainState;
  private readonly finder: WayFinder;
  private readonly shuffle: CandidateShuffle;
  private readonly variants: readonly RuleVariant[];
  private readonly frames: Frame[] = [];
  private lastWays: { node: ChainNode; variants: readonly RuleVariant[]; ways: KnownWays } | undefined;
  private effort = 0;

  constructor(
    facts: readonly Fact[],
    logic: Logic,
    private readonly options: ChainOptions,
    random: NumpyRandom,
  ) {
    const prepared = chainLogic(logic);
    this.state = new ChainState(prepared, facts);
    this.finder = new WayFinder(this.state.table, this.state.facts, options.createsEntities);
    this.shuffle = new CandidateShuffle(random);
    this.variants = allVariants(prepared, (type) => options.createsEntities && options.canCreate(type));
  }

  run(): QuestChain {
    for (let node: SearchNode | undefined = this.state.root; node; node = this.next()) {
      const chain = this.visit(node);
      if (chain) return chain;
    }
    throw new QuestGenerationError('No quest exists with these options in this world', 'exhausted');
  }

  /** Adds what can come before a node to the search; gives the chain if the node may be the start of a quest. */
  private visit(node: SearchNode): QuestChain | undefined {
    const { options } = this;
    const chained = this.chain(node);
    if (chained) this.frames.push(chained);
    const hasChildren = chained !== undefined && this.prune(chained);
    if (hasChildren && !options.subquests) return undefined;
    const branched = this.branch(node);
    if (branched) this.frames.push(branched);
    const isEnough =
      node.length >= options.minimumLength &&
      node.depth >= options.minimumDepth &&
      node.breadth >= options.minimumBreadth;
    return isEnough ? this.result(node) : undefined;
  }

  /** The next node in depth-first order. */
  private next(): SearchNode | undefined {
    for (let frame = this.frames.at(-1); frame; frame = this.frames.at(-1)) {
      if (!this.prune(frame)) {
        this.frames.pop();
        continue;
      }
      const index = --frame.left;
      const { needs } = frame.options[index] as Option;
      const { action, pool, appeared, vanished } = frame.next as Outcome;
      frame.next = undefined;
      return {
        action,
        pool,
        appeared,
        vanished,
        parent: frame.node,
        needs,
        depth: needs.depth + 1,
        breadth: frame.breadth,
        length: frame.node.length + 1,
        origin: { frame, index, used: undefined },
      };
    }
    return undefined;
  }

  /** Drops options that turn out to be impossible from the end of a frame; false if none is left. */
  private prune(frame: Frame): boolean {
    while (!frame.next && frame.left > 0) {
      frame.next = this.outcomeOf(frame, frame.options[frame.left - 1] as Option);
      if (!frame.next) frame.left--;
    }
    return frame.next !== undefined;
  }

  private outcomeOf(frame: Frame, option: Option): Outcome | undefined {
    this.state.moveTo(frame.node);
    const outcome = this.state.outcome(option.candidate);
    this.spend(efforts.outcome);
    if (!outcome?.action || !option.sibling) return outcome;
    return this.usedUpTo(option.sibling).has(this.identity(outcome.action)) ? undefined : outcome;
  }

  /** Continues the branch of a node. */
  private chain(node: SearchNode): Frame | undefined {
    if (node.depth >= this.options.maximumDepth || node.length >= this.options.maximumLength) return undefined;
    const options = this.candidates(node, node).map((candidate) => ({ candidate, needs: node, sibling: undefined }));
    return { node, breadth: node.breadth, options, left: options.length, next: undefined };
  }

  /** Begins another branch behind each action that the branch of a node has in common with it. */
  private branch(node: SearchNode): Frame | undefined {
    if (node.breadth >= this.options.maximumBreadth || node.length >= this.options.maximumLength) return undefined;
    const siblings: SearchNode[] = [];
    for (let sibling = node; sibling.needs; sibling = sibling.needs) {
      if (sibling.depth === 1 && !this.options.independentChains) break;
      siblings.push(sibling);
    }
    const options = siblings.reverse().flatMap((sibling) => {
      const needs = sibling.needs as SearchNode;
      return this.candidates(node, needs).map((candidate) => ({ candidate, needs, sibling }));
    });
    return { node, breadth: node.breadth + 1, options, left: options.length, next: undefined };
  }

  /** What can be done in a node's state to make what `needs` needs, in random order. */
  private candidates(node: ChainNode, needs: ChainNode): Candidate[] {
    const ways = this.ways(node, this.variantsAt(needs.depth));
    this.spend(efforts.search + efforts.candidate * ways.candidates.length + ways.count);
    const neededByCloseDoor = lastBeforeWalking(needs, 'close/d')?.after;
    const neededByOthers = lastBeforeWalking(needs, '')?.after;
    return this.shuffle.shuffled(ways, ({ variant: { rule }, removed }) => {
      const needed = rule.name === 'close/d' ? neededByCloseDoor : neededByOthers;
      if (rule.isWalk || !needed) return true;
      for (const fact of removed) if (needed.includes(fact)) return true;
      return false;
    });
  }

  /** The ways to act in a node's state. The last ones are kept: branches ask again and again. */
  private ways(node: ChainNode, variants: readonly RuleVariant[]): KnownWays {
    if (this.lastWays?.node !== node || this.lastWays.variants !== variants) {
      this.state.moveTo(node);
      const ways = this.finder.find(variants, node.pool, this.state.playerRoom());
      this.lastWays = { node, variants, ways };
    }
    return this.lastWays.ways;
  }

  private variantsAt(depth: number): readonly RuleVariant[] {
    const names = this.options.rulesPerDepth[depth] ?? changing;
    let known = chosenVariants.get(this.variants);
    if (!known) chosenVariants.set(this.variants, (known = new WeakMap<readonly string[], readonly RuleVariant[]>()));
    let variants = known.get(names);
    if (!variants) {
      const isChosen = (name: string): boolean =>
        names === changing ? !changesNothing.test(name) : names.includes(name);
      variants = this.variants.filter(({ rule }) => isChosen(rule.forward.name));
      known.set(names, variants);
    }
    return variants;
  }

  /** Actions that were tried in the place of a node, before it and it itself. */
  private usedUpTo(node: SearchNode): ReadonlySet<string> {
    const origin = node.origin as Origin;
    if (origin.used) return origin.used;
    const { frame, index } = origin;
    const used = new Set<string>();
    const sibling = frame.options[index]?.sibling;
    if (sibling) for (const identity of this.usedUpTo(sibling)) used.add(identity);
    for (let tried = sibling ? index : 0; tried <= index; tried++) {
      const { action } = this.outcomeOf(frame, frame.options[tried] as Option) ?? {};
      if (action) used.add(this.identity(action));
    }
    origin.used = used;
    return used;
  }

  /** Equal for actions with the same name that need and make the same facts. */
  private identity({ rule, bound, after }: BackwardAction): string {
    const before = rule.before.map((pattern) => this.state.table.number(pattern, bound));
    const sorted = (facts: readonly number[]): string => [...new Set(facts)].sort((one, other) => one - other).join();
    return `${rule.name}:${sorted(before)}:${sorted(after)}`;
  }

  private result(last: ChainNode): QuestChain {
    this.state.moveTo(last);
    const steps: ChainStep[] = [];
    for (let node = last; node.action; node = node.parent as ChainNode) {
      steps.push({ action: this.state.played(node.action), depth: node.depth, breadth: node.breadth });
    }
    return { facts: this.state.currentFacts(), steps };
  }

  private spend(effort: number): void {
    this.effort += effort;
    if (this.effort > (this.options.effort ?? efforts.limit)) {
      throw new QuestGenerationError(
        'No quest was found with these options before the search was given up',
        'abandoned',
      );
    }
  }
}

/**
 * The action that an action of `rule` before `node` must be of use for: the next one that is not walking. Walking itself
 * has to be made possible where a door is opened for it, or was closed behind the player. Rules have their backward
 * names here: to take opening a door back is to close it.
 */
function lastBeforeWalking(node: ChainNode, rule: string): BackwardAction | undefined {
  let last = node;
  while (last.action?.rule.isWalk) {
    const parent = last.parent as ChainNode;
    if (parent.action?.rule.name === 'open/d' || rule === 'close/d') break;
    last = parent;
  }
  return last.action;
}
