import type { GameState } from './game-state.js';
import type { Step } from './steps.js';

/**
 * Leaves steps out of a policy as long as what remains is possible now: after the first `start` steps, go on with
 * number `end`. The first pair in order of growing `start`, then falling `end` is taken, again and again
 * (`EventProgression.compress_policy` of `generator/game.py`). Returns undefined if no step can be left out.
 */
export function shortenPolicy(policy: readonly Step[], state: GameState): readonly Step[] | undefined {
  let shortest: readonly Step[] | undefined;
  for (let next = shortenOnce(policy, state); next; next = shortenOnce(next, state)) shortest = next;
  return shortest;
}

/** Whether it may be possible to leave steps out of a policy after a step, if it was not before. */
export function mayShorten(policy: readonly Step[], { adds, removes }: Step): boolean {
  const { bitOf } = bitsOf(policy);
  for (const fact of adds) if (bitOf.has(fact)) return true;
  for (const fact of removes) if (bitOf.has(fact)) return true;
  return false;
}

/**
 * A policy as sets of bits, one bit per fact that matters. A set takes `width` numbers; those of step `n` begin at
 * `n * width`.
 */
interface PolicyBits {
  readonly facts: readonly number[];
  readonly bitOf: ReadonlyMap<number, number>;
  readonly width: number;
  /** What must hold for the step and all later ones to be possible. */
  readonly endNeeds: Int32Array;
  readonly needs: Int32Array;
  readonly adds: Int32Array;
  readonly removes: Int32Array;
  /** The policy from an earlier step on is never possible. */
  readonly firstEnd: number;
  /** This step and later ones are never reached from the start of the policy. */
  readonly lastStart: number;
}

const known = new WeakMap<readonly Step[], PolicyBits>();
let holding = new Int32Array(16);

function shortenOnce(policy: readonly Step[], state: GameState): readonly Step[] | undefined {
  const { length } = policy;
  if (length < 2) return undefined;
  const { facts, width, endNeeds, needs, adds, removes, firstEnd, lastStart } = bitsOf(policy);
  if (holding.length < width) holding = new Int32Array(width);
  holding.fill(0, 0, width);
  for (let bit = 0; bit < facts.length; bit++)
    if (state.holds(facts[bit] as number)) holding[bit >>> 5]! |= 1 << (bit & 31);
  for (let start = 0; start < length; start++) {
    const least = Math.max(start + 1, firstEnd);
    for (let end = length - 1; end >= least; end--)
      if (covers(holding, endNeeds, end * width, width)) return [...policy.slice(0, start), ...policy.slice(end)];
    const offset = start * width;
    if (start >= lastStart || !covers(holding, needs, offset, width)) return undefined;
    for (let word = 0; word < width; word++)
      holding[word] = (holding[word]! & ~removes[offset + word]!) | adds[offset + word]!;
  }
  return undefined;
}

function bitsOf(policy: readonly Step[]): PolicyBits {
  let bits = known.get(policy);
  if (!bits) known.set(policy, (bits = toBits(policy)));
  return bits;
}

function covers(holding: Int32Array, needs: Int32Array, offset: number, width: number): boolean {
  for (let word = 0; word < width; word++) if ((needs[offset + word]! & ~holding[word]!) !== 0) return false;
  return true;
}

function toBits(policy: readonly Step[]): PolicyBits {
  const { length } = policy;
  const numbers = new Map<number, number>();
  for (const { changingNeeds } of policy)
    for (const fact of changingNeeds) if (!numbers.has(fact)) numbers.set(fact, numbers.size);
  const width = (numbers.size + 31) >>> 5;
  const fill = (into: Int32Array, index: number, facts: readonly number[]): void => {
    for (const fact of facts) {
      const bit = numbers.get(fact);
      if (bit !== undefined) into[index * width + (bit >>> 5)]! |= 1 << (bit & 31);
    }
  };
  const [endNeeds, needs, adds, removes] = [0, 1, 2, 3].map(() => new Int32Array(length * width)) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  let firstEnd = 0;
  let lastStart = length;
  for (let index = length - 1; index >= 0; index--) {
    const step = policy[index] as Step;
    fill(needs, index, step.changingNeeds);
    fill(adds, index, step.adds);
    fill(removes, index, step.removes);
    if (step.repeats) lastStart = index;
    if (firstEnd > index) continue;
    const offset = index * width;
    for (let word = 0; word < width; word++) {
      const later = index + 1 < length ? endNeeds[offset + width + word]! : 0;
      if ((later & removes[offset + word]!) !== 0 || step.repeats) firstEnd = index + 1;
      endNeeds[offset + word] = needs[offset + word]! | (later & ~adds[offset + word]!);
    }
  }
  return { facts: [...numbers.keys()], bitOf: numbers, width, endNeeds, needs, adds, removes, firstEnd, lastStart };
}
