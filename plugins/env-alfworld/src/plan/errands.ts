import { planWays } from '../engine/join.js';
import type { State } from '../engine/state.js';
import type { Literal, Term, Way } from '../pddl/condition.js';

/** A thing to be brought somewhere, or into the hand. */
export interface Delivery {
  readonly thing: number;
  /** What the thing has to be: `isclean`, `ishot`, `iscool`. */
  readonly wants: readonly string[];
  /** The receptacle where it has to be; absent if the agent has to hold it at the end. */
  readonly receptacle?: number;
}

/** One way to reach the goal with certain things. */
export interface Errand {
  readonly deliveries: readonly Delivery[];
  /** A lamp to be turned on, and to stand at in the end. */
  readonly lamp?: { readonly thing: number; readonly receptacle: number };
  /** At the end, every receptacle that can be closed has to be closed, as in a few games of ALFWorld's data set. */
  readonly closesAll: boolean;
}

/** Facts about things that some action makes true once and for all, and only while the thing is held. */
const treatments: ReadonlySet<string> = new Set(['isclean', 'ishot', 'iscool']);

/**
 * All errands that reach the goal, as far as facts that never change tell; undefined if the goal asks for something else
 * than the six kinds of tasks do.
 */
export function findErrands(state: State): readonly Errand[] | undefined {
  const errands: Errand[] = [];
  for (const way of state.setting.goal) {
    const { fixed, wishes, closesAll } = splitWay(way, state);
    if (wishes === undefined) return undefined;
    const values: number[] = Array.from({ length: state.setting.goalVariables }, () => -1);
    for (const join of planWays([fixed], new Map(), [], state)) {
      let isKnown = true;
      join.search(values, () => {
        const errand = readErrand(wishes, closesAll, (term) =>
          typeof term === 'number' ? values[term] : state.numberOf(term),
        );
        if (errand === undefined) isKnown = false;
        else errands.push(errand);
        return !isKnown;
      });
      if (!isKnown) return undefined;
    }
  }
  return errands.filter((errand) => isPossible(errand, state));
}

interface SplitWay {
  /** What never changes. */
  readonly fixed: Way;
  /** What has to become true; undefined if something else is asked for. */
  readonly wishes: readonly Literal[] | undefined;
  readonly closesAll: boolean;
}

function splitWay(way: Way, { setting }: State): SplitWay {
  const changes = ({ predicate }: Literal) => setting.fluents.has(predicate);
  const fixed: Way = {
    ...way,
    positive: way.positive.filter((literal) => !changes(literal)),
    negative: way.negative.filter((literal) => !changes(literal)),
    never: [],
  };
  const closesAll = way.never.length > 0;
  const isPlain = !way.negative.some(changes) && way.never.every((ways) => ways.every(isAnyOpen));
  return { fixed, wishes: isPlain ? way.positive.filter(changes) : undefined, closesAll };
}

/** What nothing may meet in `(forall (?r - receptacle) (not (opened ?r)))`. */
function isAnyOpen({ variables, positive, negative, equal, different, never }: Way): boolean {
  const [variable] = variables;
  const [literal] = positive;
  const others = [...positive.slice(1), ...variables.slice(1), ...negative, ...equal, ...different, ...never];
  return others.length === 0 && literal?.predicate === 'opened' && literal.terms[0] === variable?.number;
}

type ThingOf = (term: Term) => number | undefined;

function readErrand(wishes: readonly Literal[], closesAll: boolean, thingOf: ThingOf): Errand | undefined {
  const placed = new Map<number, number>();
  const held = new Set<number>();
  const wants = new Map<number, string[]>();
  let lamp: number | undefined;
  let places = 0;
  for (const { predicate, terms } of wishes) {
    const [first, second] = terms.map((term) => thingOf(term) ?? -1) as [number, number?];
    if (treatments.has(predicate)) wants.set(first, [...(wants.get(first) ?? []), predicate]);
    else if (predicate === 'inreceptacle') placed.set(first, second ?? -1);
    else if (predicate === 'holds') held.add(second ?? -1);
    else if (predicate === 'istoggled' && lamp === undefined) lamp = first;
    else if (predicate === 'atlocation' && places === 0) places += 1;
    else return undefined;
  }
  const lampPlace = lamp === undefined ? undefined : placed.get(lamp);
  // To be at a place is asked for together with a lamp that stands there.
  if (places > 0 !== (lamp !== undefined) || (lamp !== undefined && lampPlace === undefined)) return undefined;
  if (lamp !== undefined) placed.delete(lamp);
  for (const thing of wants.keys()) if (!placed.has(thing) && !held.has(thing)) return undefined;
  const deliveries: Delivery[] = [
    ...[...placed].map(([thing, receptacle]) => ({ thing, wants: wants.get(thing) ?? [], receptacle })),
    ...[...held].map((thing) => ({ thing, wants: wants.get(thing) ?? [] })),
  ];
  if (held.size > 1 || deliveries.length === 0 || deliveries.length > longest) return undefined;
  return {
    deliveries,
    closesAll,
    ...(lamp !== undefined && { lamp: { thing: lamp, receptacle: lampPlace as number } }),
  };
}

/** Things that are brought one after the other, in any order. */
const longest = 3;

function isPossible({ deliveries, lamp }: Errand, state: State): boolean {
  const things = deliveries.map(({ thing }) => thing);
  if (new Set(things).size < things.length) return false;
  if (lamp === undefined) return true;
  // A lamp stays where it is.
  const start = state.setting.start.get('inreceptacle');
  return start?.has(start.keyOf([lamp.thing, lamp.receptacle])) === true;
}
