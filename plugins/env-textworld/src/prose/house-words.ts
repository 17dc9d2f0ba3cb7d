// The words that things and rooms of a house are called by. There are few of them on purpose: policies learn them from
// the games alone. No word is a plural, begins with a vowel that asks for another article than it looks like, or is a
// word of commands.

export const roomTypes = ['clean', 'cook', 'rest', 'work', 'storage'] as const;
export type RoomType = (typeof roomTypes)[number];

export const roomNouns: Readonly<Record<RoomType, readonly string[]>> = {
  clean: [
    ...['bathroom', 'washroom', 'restroom', 'laundry', 'shower', 'sauna', 'spa', 'salon', 'bathhouse', 'mud room'],
    ...['steam room', 'dressing room'],
  ],
  cook: [
    ...['kitchen', 'bakery', 'canteen', 'diner', 'tavern', 'bar', 'cafe', 'galley', 'scullery', 'brewery', 'tea room'],
    'dining room',
  ],
  rest: [
    ...['bedroom', 'lounge', 'parlor', 'den', 'nursery', 'library', 'sunroom', 'playroom', 'chapel', 'living room'],
    ...['guest room', 'music room'],
  ],
  work: [
    ...['office', 'study', 'studio', 'workshop', 'lab', 'forge', 'mill', 'greenhouse', 'classroom', 'foundry'],
    ...['sewing room', 'engine room'],
  ],
  storage: [
    ...['attic', 'cellar', 'basement', 'closet', 'pantry', 'vault', 'warehouse', 'barn', 'garage', 'cloakroom'],
    ...['storeroom', 'depot'],
  ],
};

/** Rooms only have an adjective where there are more rooms than nouns for them. */
export const roomAdjectives = ['small', 'large', 'front', 'rear', 'bright', 'dark', 'warm', 'cool'] as const;

export type Kind = 'container' | 'supporter' | 'door' | 'key' | 'food' | 'object';

/** Keys and what they fit share an adjective of the group `lock`; other things rather take one of the other groups. */
export const adjectives = {
  lock: [
    ...['brass', 'iron', 'silver', 'copper', 'golden', 'bronze', 'steel', 'tin', 'crystal', 'ivory', 'jade', 'red'],
    ...['blue', 'green', 'yellow', 'black', 'white', 'brown', 'purple', 'pink'],
  ],
  thing: [
    ...['old', 'plain', 'round', 'square', 'heavy', 'dusty', 'shiny', 'striped', 'painted', 'tiny', 'odd', 'fancy'],
    ...['cheap', 'narrow'],
  ],
  food: ['fresh', 'sweet', 'cold', 'tasty', 'soft', 'spicy'],
} as const;
export type AdjectiveGroup = keyof typeof adjectives;

export interface KindWords {
  /** Words that fit everywhere; a word that is listed more than once is chosen more often. */
  readonly anywhere: readonly string[];
  /** Words that only fit rooms of a type. */
  readonly inRooms?: Readonly<Partial<Record<RoomType, readonly string[]>>>;
  /** Groups of adjectives, the next one where the one before is used up. */
  readonly groups: readonly AdjectiveGroup[];
  /** Share of the things of this kind that have no adjective. */
  readonly plainShare: number;
}

export const kindWords: Readonly<Record<Kind, KindWords>> = {
  container: {
    anywhere: ['chest', 'box', 'trunk', 'safe', 'cabinet', 'crate', 'suitcase', 'drawer', 'locker', 'cupboard'],
    inRooms: { clean: ['hamper'], cook: ['fridge'], rest: ['wardrobe'], work: ['toolbox'], storage: ['barrel'] },
    groups: ['lock', 'thing', 'food'],
    plainShare: 0,
  },
  door: {
    anywhere: ['door', 'door', 'door', 'gate', 'hatch'],
    groups: ['lock', 'thing', 'food'],
    plainShare: 0,
  },
  key: {
    anywhere: ['key', 'key', 'key', 'key', 'key', 'key', 'latchkey', 'passkey', 'keycard', 'badge', 'token'],
    groups: ['lock', 'thing', 'food'],
    plainShare: 0,
  },
  supporter: {
    anywhere: ['table', 'shelf', 'bench', 'desk', 'chair', 'stool', 'rack', 'ledge', 'stand', 'pedestal'],
    inRooms: { clean: ['sink'], cook: ['counter'], rest: ['bed', 'couch'], work: ['workbench'], storage: ['pallet'] },
    groups: ['thing'],
    plainShare: 0.5,
  },
  object: {
    anywhere: [
      ...['book', 'lamp', 'cup', 'bowl', 'spoon', 'pen', 'candle', 'pillow', 'towel', 'hammer', 'rope', 'vase'],
      ...['clock', 'hat', 'mirror'],
    ],
    groups: ['thing'],
    plainShare: 0.5,
  },
  food: {
    anywhere: [
      ...['apple', 'pear', 'peach', 'banana', 'lemon', 'plum', 'melon', 'carrot', 'potato', 'tomato', 'egg', 'muffin'],
      ...['cookie', 'sandwich', 'pie'],
    ],
    groups: ['food', 'thing'],
    plainShare: 0.5,
  },
};
