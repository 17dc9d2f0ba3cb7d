import { describe, expect, it } from 'vitest';

import type { TextScene } from '../contracts/text-view.js';
import { composeObservation } from './compose-observation.js';

const scene: TextScene = {
  reply: 'You open the chest.',
  surroundings: () => ['A kitchen. The chest is open.', 'You carry nothing.'],
  actions: () => ['go east', 'close chest'],
};

function unread(): never {
  throw new Error('a part that the view leaves out was computed');
}

describe('composeObservation', () => {
  it('shows changes only, and computes nothing else', () => {
    const changes = composeObservation(
      { ...scene, surroundings: unread, actions: unread },
      { observe: 'changes', listActions: false },
    );
    expect(changes).toBe('You open the chest.');
  });

  it('repeats the surroundings and lists the actions', () => {
    expect(composeObservation(scene, { observe: 'room', listActions: true })).toBe(
      [
        'You open the chest.',
        'A kitchen. The chest is open.',
        'You carry nothing.',
        'Actions: go east; close chest',
      ].join('\n'),
    );
  });

  it('does not repeat what the reply has just said', () => {
    const moved = { ...scene, reply: 'You walk.\nA kitchen. The chest is open.' };
    expect(composeObservation(moved, { observe: 'room', listActions: false })).toBe(
      'You walk.\nA kitchen. The chest is open.\nYou carry nothing.',
    );
  });

  it('has no list without actions, and no empty line without a reply', () => {
    const over = { ...scene, reply: '', surroundings: () => [], actions: () => [] };
    expect(composeObservation(over, { observe: 'room', listActions: true })).toBe('');
  });
});
