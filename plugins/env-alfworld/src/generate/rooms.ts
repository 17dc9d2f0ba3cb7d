import { words } from './words.js';

export const roomNames = ['kitchen', 'livingroom', 'bedroom', 'bathroom'] as const;
export type RoomName = (typeof roomNames)[number];

/** Receptacles of one kind in a room. */
interface Furniture {
  readonly kind: string;
  /** In how many of the 30 rooms of this sort there is one. */
  readonly rooms: number;
  /** Numbers of them where there are any: some of the sorted list, evenly spaced. */
  readonly counts: readonly number[];
}

export interface Room {
  /** The most needed first: a room with few receptacles has these. */
  readonly furniture: readonly Furniture[];
  /** Kinds of things, and in how many of the 30 rooms there are any. */
  readonly things: { readonly [kind: string]: number };
}

const furniture = (kind: string, rooms: number, ...counts: readonly number[]): Furniture => ({ kind, rooms, counts });

/** Things that are in so many rooms each: `30 Apple Bowl`. */
function inRooms(...lists: readonly string[]): { readonly [kind: string]: number } {
  const rows = lists.map((list) => words(list));
  return Object.fromEntries(rows.flatMap(([rooms, ...kinds]) => kinds.map((kind) => [kind, Number(rooms)])));
}

/**
 * What is in the 120 rooms of ALFWorld, counted in `FloorPlan*-objects.json` (kinds) and `FloorPlan*-openable.json`
 * (numbers of receptacles) of alfworld/gen/layouts. Numbers that are not there, such as that of stove burners, are those
 * of the games of its data set.
 */
export const rooms: { readonly [name in RoomName]: Room } = {
  kitchen: {
    furniture: [
      furniture('CounterTop', 30, 1, 2, 2, 3, 4),
      furniture('Fridge', 30, 1),
      furniture('Microwave', 30, 1),
      furniture('SinkBasin', 30, 1),
      furniture('Cabinet', 30, 3, 6, 9, 13, 20),
      furniture('Drawer', 28, 1, 3, 4, 7, 11),
      furniture('GarbageCan', 30, 1),
      furniture('StoveBurner', 30, 4),
      furniture('CoffeeMachine', 30, 1),
      furniture('Toaster', 30, 1),
      furniture('DiningTable', 16, 1, 1, 1, 2),
      furniture('Shelf', 5, 2, 3, 3),
      furniture('SideTable', 3, 1),
      furniture('Safe', 1, 1),
    ],
    things: inRooms(
      '30 SoapBottle SaltShaker Lettuce Plate Egg Bowl Fork Spatula DishSponge Mug PepperShaker Potato Pan Cup Tomato',
      '30 Apple Knife Bread Spoon Pot',
      '29 ButterKnife',
      '15 Kettle',
      '10 WineBottle Ladle',
      '7 Glassbottle',
      '4 Statue Vase CellPhone',
      '3 CreditCard',
      '2 Book SprayBottle Pen Pencil',
    ),
  },
  livingroom: {
    furniture: [
      furniture('Sofa', 30, 1, 1, 1, 1, 2),
      furniture('CoffeeTable', 25, 1, 1, 1, 2),
      furniture('SideTable', 24, 1, 1, 2, 3),
      furniture('GarbageCan', 30, 1),
      furniture('ArmChair', 27, 1, 1, 2, 3),
      furniture('Drawer', 23, 1, 4, 5, 7, 12),
      furniture('DiningTable', 14, 1, 1, 1, 2),
      furniture('TVStand', 12, 1),
      furniture('Shelf', 12, 1, 4, 8, 13),
      furniture('Dresser', 10, 1),
      furniture('Ottoman', 4, 1),
      furniture('Cabinet', 4, 4, 4, 8),
      furniture('Safe', 2, 1),
      furniture('Desk', 1, 1),
    ],
    things: inRooms(
      '30 Box KeyChain RemoteControl Laptop Pillow CreditCard',
      '29 Statue',
      '18 Vase Newspaper',
      '16 Watch',
      '13 WateringCan',
      '10 Plate',
      '9 TissueBox',
      '7 Book CellPhone',
      '5 Pen',
      '4 Bowl Pencil',
      '3 Candle',
    ),
  },
  bedroom: {
    furniture: [
      furniture('Bed', 30, 1, 1, 1, 1, 1, 1, 2),
      furniture('Desk', 19, 1, 1, 1, 2),
      furniture('Drawer', 29, 2, 2, 3, 5, 10),
      furniture('SideTable', 19, 1, 1, 1, 2),
      furniture('GarbageCan', 30, 1),
      furniture('Shelf', 20, 1, 2, 3, 5, 10),
      furniture('Dresser', 15, 1),
      furniture('LaundryHamper', 8, 1),
      furniture('ArmChair', 6, 1, 1, 2),
      furniture('Safe', 5, 1),
      furniture('Cabinet', 5, 1, 4, 4),
      furniture('DiningTable', 5, 1),
    ],
    things: inRooms(
      '30 KeyChain Laptop CD Pillow Pencil AlarmClock Book CellPhone CreditCard Pen',
      '16 Mug',
      '13 Bowl BaseballBat',
      '12 Box',
      '11 BasketBall',
      '10 TennisRacket',
      '5 Cloth',
      '4 Statue TissueBox',
      '3 Vase RemoteControl',
      '2 Watch',
    ),
  },
  bathroom: {
    furniture: [
      furniture('CounterTop', 25, 1, 1, 1, 1, 2),
      furniture('SinkBasin', 30, 1, 1, 2),
      furniture('Toilet', 30, 1),
      furniture('GarbageCan', 30, 1),
      furniture('Cabinet', 15, 2, 4, 4, 4, 5),
      furniture('Drawer', 15, 2, 4, 6, 8),
      furniture('BathtubBasin', 20, 1),
      furniture('HandTowelHolder', 30, 1, 2),
      furniture('TowelHolder', 30, 1, 2),
      furniture('ToiletPaperHanger', 30, 1),
      furniture('Shelf', 8, 1, 2, 3),
      furniture('Cart', 2, 1),
      furniture('Dresser', 2, 1),
      furniture('SideTable', 2, 1),
    ],
    things: inRooms(
      '30 ToiletPaper Candle Cloth SoapBottle SprayBottle Towel HandTowel Plunger SoapBar',
      '9 TissueBox',
      '6 DishSponge',
    ),
  },
};

/** Where lamps stand. */
export const lampPlaces = words('Desk SideTable Dresser Shelf CoffeeTable DiningTable TVStand');
