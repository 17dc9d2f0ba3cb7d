import { sortUnsteadily } from './sort-unsteadily.js';
import type { Step, Steps } from './steps.js';

/** A step together with the steps that it leads to, up to the root. One object per such chain. */
export interface Chain {
  readonly id: number;
  readonly step: Step;
  readonly parent: Chain | undefined;
  readonly next: Map<number, Chain>;
  /** One bit per fact: what must hold before the step for all steps of the chain to be possible. */
  required: Int32Array | undefined;
}

/**
 * A step that was put into a forest at one time. It may stand in several places; the last one says what it leads to.
 */
export interface Element {
  readonly step: Step;
  chain: Chain | undefined;
  /** When the element was last looked at, to see each one once. */
  look: number;
}

export interface Node {
  readonly element: Element;
  readonly children: Node[];
  parent: Node | undefined;
}

/** Limits that the forests of sensible games do not come near; a policy beyond them counts as unknown. */
const maximumNodes = 5_000;
const maximumWork = 1_000_000;

let looks = 0;

/** The chains of a game, each one object. */
export class Chains {
  private roots = new Map<number, Chain>();
  private count = 0;

  /** Forgets all chains; those that are still used stay as they are. */
  clear(): void {
    this.roots = new Map();
  }

  get(step: Step, parent: Chain | undefined): Chain {
    const siblings = parent?.next ?? this.roots;
    let chain = siblings.get(step.index);
    if (!chain) {
      chain = { id: this.count++, step, parent, next: new Map(), required: undefined };
      siblings.set(step.index, chain);
    }
    return chain;
  }
}

/**
 * Trees of actions: the children of an action add facts that it needs. See `generator/dependency_tree.py` and
 * `ActionDependencyTree` in `generator/game.py`.
 */
export class ActionForest {
  private nodes = 0;

  constructor(
    private readonly steps: Steps,
    private readonly chains: Chains,
    readonly roots: Node[] = [],
  ) {
    for (const root of roots) this.nodes += sizeOf(root);
  }

  /** Whether the forest has grown beyond any sense. */
  get isTooLarge(): boolean {
    return this.nodes > maximumNodes;
  }

  /** A forest of its own nodes. */
  copy(): ActionForest {
    return new ActionForest(
      this.steps,
      this.chains,
      this.roots.map((root) => copyNode(root, undefined)),
    );
  }

  /** A forest of its own nodes and elements. */
  deepCopyInto(roots: Node[]): void {
    const copies = new Map<Element, Element>();
    for (const root of this.roots) roots.push(copyNode(root, undefined, copies));
  }

  /** Puts the step below every step that needs it and lacks it; as a root if there is none. Returns whether it did. */
  push(step: Step): boolean {
    const element: Element = { step, chain: undefined, look: 0 };
    let added = false;
    for (const root of this.roots) if (this.pushBelow(root, element)) added = true;
    if (this.roots.length === 0) {
      element.chain = this.chains.get(step, undefined);
      this.roots.push({ element, children: [], parent: undefined });
      this.nodes++;
      added = true;
    }
    return added;
  }

  /** Whether `remove` would change the forest. */
  isTouchedBy(step: Step): boolean {
    const { step: undone } = this.steps.undo(step);
    const touches = ({ element, children }: Node): boolean =>
      (children.length === 0 && element.step === step) ||
      this.takes(element.step, undone, children) ||
      children.some(touches);
    return this.roots.some(touches);
  }

  /** Takes the step away wherever it stands, if it is a leaf somewhere, and puts in what undoes it where needed. */
  remove(step: Step): { readonly changed: boolean; readonly reversed: Step | undefined } {
    let changed = this.cut(step);
    const { step: undone, isRule } = this.steps.undo(step);
    const reversed = isRule ? undone : undefined;
    if (this.roots.length === 0) return { changed, reversed };
    const pushed = this.push(undone);
    changed = isRule ? pushed : changed || pushed;
    return { changed, reversed };
  }

  /** The steps in an order in which they can be done; undefined if there is no end to them. Uses the forest up. */
  flatten(): Step[] | undefined {
    const order: Step[] = [];
    let changed = false;
    let reversed: Step | undefined;
    let work = 0;
    while (this.roots.length > 0) {
      const leaves = sortUnsteadily(this.leaves(), isBefore);
      work += this.nodes + leaves.length ** 2;
      if (work > maximumWork || this.isTooLarge) return undefined;
      const leaf = (leaves.find(({ step }) => step !== reversed || !changed) ?? leaves.at(-1)) as Element;
      order.push(leaf.step);
      ({ changed, reversed } = this.remove(leaf.step));
      for (const root of [...this.roots]) {
        if (root.children.length > 0) continue;
        order.push(root.element.step);
        this.remove(root.element.step);
      }
    }
    return order;
  }

  /** Equal for two forests exactly if they behave alike. */
  key(): string {
    const numbers = new Map<Element, number>();
    let key = '';
    const add = ({ element, children }: Node): void => {
      let number = numbers.get(element);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(element, number);
      }
      key += `${number}.${element.chain?.id}(`;
      for (const child of children) add(child);
      key += ')';
    };
    for (const root of this.roots) add(root);
    return key;
  }

  private pushBelow(node: Node, element: Element): boolean {
    let added = false;
    for (const child of node.children) if (this.pushBelow(child, element)) added = true;
    if (!this.takes(node.element.step, element.step, node.children)) return added;
    node.children.push({ element, children: [], parent: node });
    element.chain = this.chains.get(element.step, node.element.chain);
    this.nodes++;
    return true;
  }

  /** Whether a node with these children gets another step as its child. */
  private takes(step: Step, other: Step, children: readonly Node[]): boolean {
    return this.steps.dependsOn(step, other) && bringsSomething(other, children);
  }

  private cut(step: Step): boolean {
    const found: Node[] = [];
    let isLeaf = false;
    const visit = (node: Node): void => {
      for (const child of node.children) visit(child);
      if (node.element.step !== step) return;
      found.push(node);
      if (node.children.length === 0) isLeaf = true;
    };
    for (const root of this.roots) visit(root);
    if (!isLeaf) return false;
    for (const node of found) {
      const siblings = node.parent?.children ?? this.roots;
      siblings.splice(siblings.indexOf(node), 1);
    }
    return true;
  }

  private leaves(): Element[] {
    const leaves: Element[] = [];
    const look = ++looks;
    for (const root of this.roots) addLeaves(root, leaves, look);
    return leaves;
  }
}

function addLeaves({ element, children }: Node, leaves: Element[], look: number): void {
  for (const child of children) addLeaves(child, leaves, look);
  if (children.length > 0 || element.look === look) return;
  element.look = look;
  leaves.push(element);
}

/** Whether the second element removes more of what the first one still needs than the other way round. */
const isBefore = (one: Element, other: Element): boolean =>
  hits(other.step.removes, one.chain) > hits(one.step.removes, other.chain);

function hits(facts: readonly number[], chain: Chain | undefined): number {
  if (facts.length === 0 || !chain) return 0;
  const required = (chain.required ??= requiredBy(chain));
  let count = 0;
  for (const fact of facts) if ((((required[fact >>> 5] ?? 0) >>> (fact & 31)) & 1) !== 0) count++;
  return count;
}

function requiredBy(chain: Chain): Int32Array {
  const facts = new Set(chain.step.needs);
  for (let link = chain; link.parent; link = link.parent) {
    for (const fact of link.parent.step.needs) facts.add(fact);
    for (const fact of link.step.adds) facts.delete(fact);
  }
  const words = new Int32Array((Math.max(0, ...facts) >>> 5) + 1);
  for (const fact of facts) words[fact >>> 5]! |= 1 << (fact & 31);
  return words;
}

/** Whether the step adds a fact that none of the nodes adds. */
function bringsSomething(step: Step, nodes: readonly Node[]): boolean {
  return step.adds.some((fact) => !nodes.some(({ element }) => element.step.adds.includes(fact)));
}

const sizeOf = (node: Node): number => node.children.reduce((sum, child) => sum + sizeOf(child), 1);

function copyNode(node: Node, parent: Node | undefined, elements?: Map<Element, Element>): Node {
  let { element } = node;
  if (elements) {
    element = elements.get(element) ?? { ...element };
    elements.set(node.element, element);
  }
  const copy: Node = { element, children: [], parent };
  for (const child of node.children) copy.children.push(copyNode(child, copy, elements));
  return copy;
}
