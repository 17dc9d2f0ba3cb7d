import { describe, expect, it } from 'vitest';

import { houseLogic } from '../logic/house-logic.js';
import type { Entity, Fact, Rule } from '../logic/logic.js';
import { applyRule, Playthrough } from './playthrough.js';

const entity = (id: string): Entity => ({ id, type: id.replace(/_.*/, '') });
const fact = (name: string, ...ids: string[]): Fact => ({ name, entities: ids.map(entity) });
const rule = (name: string): Rule => houseLogic().rules.get(name) as Rule;
const placed = { r: entity('r_0'), o: entity('o_0'), c: entity('c_0') };
const world = [fact('at', 'P', 'r_0'), fact('at', 'c_0', 'r_0'), fact('closed', 'c_0'), fact('in', 'o_0', 'c_0')];

describe('applyRule', () => {
  it('puts entities and constants into the facts and the command', () => {
    const take = applyRule(rule('take/c'), placed);
    expect(take.command).toBe('take {o_0} from {c_0}');
    expect(take.before).toEqual([
      ...[fact('at', 'P', 'r_0'), fact('at', 'c_0', 'r_0'), fact('open', 'c_0'), fact('in', 'o_0', 'c_0')],
    ]);
    expect(take.after).toEqual([
      ...[fact('at', 'P', 'r_0'), fact('at', 'c_0', 'r_0'), fact('open', 'c_0'), fact('in', 'o_0', 'I')],
    ]);
    expect(applyRule(rule('look'), placed).command).toBe('look');
  });
});

describe('Playthrough', () => {
  const open = applyRule(rule('open/c'), placed);
  const take = applyRule(rule('take/c'), placed);

  it('knows which actions lead to a fact', () => {
    const playthrough = new Playthrough(world);
    playthrough.play(open);
    playthrough.play(take);
    expect(playthrough.actionsTo(fact('open', 'c_0'))).toEqual([open]);
    expect(playthrough.actionsTo(fact('in', 'o_0', 'I'))).toEqual([open, take]);
    expect(playthrough.actionsTo(fact('at', 'P', 'r_0'))).toEqual([]);
    expect(playthrough.actionsTo(fact('locked', 'c_0'))).toEqual([]);
  });

  it('repeats the last action for a command that is refused, and changes nothing', () => {
    const playthrough = new Playthrough(world);
    playthrough.play(take);
    expect(playthrough.actions).toEqual([]);
    playthrough.play(open);
    playthrough.play(open);
    playthrough.play(take);
    expect(playthrough.actions).toEqual([open, open, take]);
    expect(playthrough.commands).toEqual([take.command, open.command, open.command, take.command]);
    expect(playthrough.actionsTo(fact('in', 'o_0', 'I'))).toHaveLength(3);
  });
});
