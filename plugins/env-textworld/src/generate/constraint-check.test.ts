import { expect, it } from 'vitest';
import { houseLogic } from '../logic/house-logic.js';
import { chainLogic, predicateKey } from './chain-logic.js';
import { ConstraintCheck } from './constraint-check.js';
import { FactState } from './fact-state.js';
import { NumberedFacts } from './numbered-facts.js';

const logic = chainLogic(houseLogic());

function world(): { add: (name: string, ...ids: string[]) => number; state: FactState; check: ConstraintCheck } {
  const table = new NumberedFacts(logic.predicates, logic.typeNumbers, logic.constants, logic.width);
  const state = new FactState(table, logic.predicates.length);
  const add = (name: string, ...ids: string[]): number => {
    const bound = ids.map((id) => table.entity({ id, type: id.slice(0, 1) })!);
    const predicate = logic.predicateNumbers.get(predicateKey(name, ids.length))!;
    const fact = table.number({ predicate, slots: [...ids.keys()] }, bound);
    state.add(fact);
    return fact;
  };
  return { add, state, check: new ConstraintCheck(logic, table, state) };
}

it('forbids a thing in two places, whatever its type below objects', () => {
  const { add, check, state } = world();
  add('in', 'f_0', 'I');
  expect(check.forbids(add('on', 'f_1', 's_0'))).toBe(false);
  const second = add('at', 'f_0', 'r_0');
  expect(check.forbids(second)).toBe(true);
  expect(check.forbidsState()).toBe(true);
  state.remove(second);
  expect(check.forbidsState()).toBe(false);
});

it('takes different entities for different placeholders', () => {
  const { add, check } = world();
  expect(check.forbids(add('match', 'k_0', 'c_0'))).toBe(false);
  expect(check.forbids(add('match', 'k_1', 'c_0'))).toBe(true);
});

it('forbids a fifth exit, and walking through a closed door', () => {
  const { add, check } = world();
  for (const room of ['r_1', 'r_2', 'r_3', 'r_4']) expect(check.forbids(add('free', 'r_0', room))).toBe(false);
  expect(check.forbids(add('link', 'r_0', 'd_0', 'r_5'))).toBe(true);
  add('link', 'r_1', 'd_1', 'r_0');
  expect(check.forbids(add('closed', 'd_1'))).toBe(false);
  expect(check.forbids(add('free', 'r_1', 'r_0'))).toBe(true);
});
