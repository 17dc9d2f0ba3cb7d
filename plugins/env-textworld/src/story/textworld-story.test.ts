import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { chestGame } from './fixtures/chest-game.js';
import { openStory } from './story.js';
import { TextworldStory } from './textworld-story.js';

const file = openStory(readFileSync(new URL('./fixtures/chest.z8', import.meta.url)));
const game = chestGame();
const begin = () => {
  const story = new TextworldStory(file, game, { work: 5_000_000 });
  story.start();
  return story;
};
const room = '-= Vault =-\nYou are in a vault. A chest is here';
const pointText = 'Your score has just gone up by one point.';

describe('a story of TextWorld with its game', () => {
  it('begins at the room, and leaves the objective to the game', () => {
    const story = new TextworldStory(file, game);
    expect(story.start()).toBe(`${room}.`);
    expect(story.objective).toBe('Open the chest and take the coin. Do not eat the apple.');
    expect(story.maximumScore).toBe(2);
    expect(story.admissible()).toEqual(['eat apple', 'inventory', 'look', 'open chest']);
    expect(story.remaining()).toEqual({ actions: 2, deeds: 2 });
    expect(story.nextCommand()).toBe('open chest');
  });

  it('follows what the story says was done', () => {
    const story = begin();
    expect(story.act('open chest')).toEqual({
      text: `You open the chest, revealing a coin.\n\n${pointText}`,
      score: 1,
      won: false,
      lost: false,
      reward: 1,
    });
    expect(story.admissible()).toEqual(['close chest', 'eat apple', 'inventory', 'look', 'take coin from chest']);
    expect(story.nextCommand()).toBe('take coin from chest');
    expect(story.remaining()).toEqual({ actions: 1, deeds: 1 });
    const end = story.act('take coin');
    expect(end).toMatchObject({ score: 2, won: true, lost: false, reward: 1 });
    expect(end.text).toMatch(/^You take the coin from the chest\.\n\nYour score .*\*\*\* The End \*\*\*/s);
    expect(story.admissible()).toEqual([]);
    expect(story.nextCommand()).toBeUndefined();
    expect(story.surroundings()).toEqual([]);
  });

  it('ends where the story is lost', () => {
    const story = begin();
    const end = story.act('eat apple');
    expect(end).toMatchObject({ score: 0, won: false, lost: true, reward: -1 });
    expect(end.text).toContain('*** You lost! ***');
  });

  it('tells refusals apart', () => {
    const story = begin();
    expect(story.act('open door')).toMatchObject({ text: "You can't see any such thing.", refused: 'not visible' });
    expect(story.act('dance')).toMatchObject({ refused: 'not a verb' });
    expect(story.act('')).toMatchObject({ refused: 'empty' });
    story.act('open chest');
    expect(story.act('open chest')).toEqual({
      text: "That's already open.",
      score: 1,
      won: false,
      lost: false,
      reward: 0,
      refused: 'not possible',
    });
    expect(story.act('look')).not.toHaveProperty('refused');
  });

  it('shows the surroundings without a turn', () => {
    const story = begin();
    expect(story.surroundings()).toEqual([`${room}.`, 'You are carrying nothing.']);
    story.act('open chest');
    const key = story.key();
    expect(story.surroundings()).toEqual([`${room}, and in it a coin.`, 'You are carrying nothing.']);
    expect(story.key()).toBe(key);
  });

  it('begins anew on demand of the player', () => {
    const story = begin();
    story.act('open chest');
    expect(story.act('restart')).toMatchObject({ text: 'Are you sure?', score: 1 });
    expect(story.act('yes')).toEqual({ text: `${room}.`, score: 0, won: false, lost: false, reward: 0 });
    expect(story.admissible()).toContain('open chest');
    expect(story.act('open chest')).toMatchObject({ score: 1, reward: 1 });
  });

  it.each(['quit', 'loop', 'throw'])('cannot be won after "%s"', (command) => {
    const story = begin();
    expect(story.act(command)).toMatchObject({ won: false, lost: true, reward: -1 });
    expect(story.act('open chest')).toEqual({ text: '', score: 0, won: false, lost: true, reward: 0, refused: 'over' });
  });

  it('goes on from a snapshot', () => {
    const story = begin();
    story.act('open chest');
    const state: unknown = JSON.parse(JSON.stringify(story.snapshot()));
    const key = story.key();
    const end = story.act('take coin');
    expect(story.key()).not.toBe(key);
    const other = new TextworldStory(file, game);
    other.restore(state as never);
    expect(other.key()).toBe(key);
    expect(other.admissible()).toContain('take coin from chest');
    expect(other.act('take coin')).toEqual(end);
    expect(other.act('look')).toMatchObject({ refused: 'over' });
  });

  it('starts again and again', () => {
    const story = begin();
    const key = story.key();
    story.act('eat apple');
    expect(story.start()).toBe(`${room}.`);
    expect(story.key()).toBe(key);
    expect(story.act('open chest')).toMatchObject({ score: 1, lost: false });
    story.dispose();
    expect(story.act('look')).toMatchObject({ text: '', refused: 'over' });
  });
});

describe('a story without a game', () => {
  it('has text, score and end', () => {
    const story = new TextworldStory(file);
    expect(story.start()).toBe(`Open the chest and take the coin. Do not eat the apple.\n\n${room}.`);
    expect(story.objective).toBe('');
    expect(story.maximumScore).toBe(2);
    expect(story.admissible()).toEqual([]);
    expect(story.remaining()).toBeUndefined();
    expect(story.nextCommand()).toBeUndefined();
    expect(story.act('open chest')).toEqual({
      text: `You open the chest, revealing a coin.\n\n${pointText}`,
      score: 1,
      won: false,
      lost: false,
      reward: 0,
    });
    expect(story.surroundings()).toEqual([`${room}, and in it a coin.`, 'You are carrying nothing.']);
    expect(story.act('take coin')).toMatchObject({ score: 2, won: true, reward: 1 });
  });
});

it('refuses a game beside a story that does not tell what is done', () => {
  const other = openStory(readFileSync(new URL('./fixtures/chest.z3', import.meta.url)));
  expect(() => new TextworldStory(other, game).start()).toThrow('it is not a story of TextWorld');
  expect(new TextworldStory(other).start()).toContain(room);
});
