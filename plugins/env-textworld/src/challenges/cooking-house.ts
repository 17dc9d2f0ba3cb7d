// The house of cooking games: rooms, which rooms may adjoin, doors and furniture.

/** What a game with 1, 6, 9 or 12 rooms has: the first one, two, three or four groups, placed group by group. */
export const roomGroups: readonly (readonly string[])[] = [
  ['kitchen'],
  ['pantry', 'livingroom', 'corridor', 'bedroom', 'bathroom'],
  ['shed', 'garden', 'backyard'],
  ['driveway', 'street', 'supermarket'],
];

/** Rooms that may have an exit to each other. */
export const neighbours: Readonly<Record<string, readonly string[]>> = {
  kitchen: ['livingroom', 'backyard', 'corridor', 'pantry'],
  pantry: ['kitchen'],
  livingroom: ['kitchen', 'bedroom', 'driveway', 'corridor'],
  bathroom: ['corridor'],
  bedroom: ['livingroom', 'corridor'],
  backyard: ['kitchen', 'garden', 'shed', 'corridor'],
  garden: ['backyard'],
  shed: ['backyard'],
  driveway: ['livingroom', 'street', 'corridor'],
  street: ['driveway', 'supermarket'],
  corridor: ['livingroom', 'kitchen', 'bedroom', 'bathroom', 'driveway', 'backyard'],
  supermarket: ['street'],
};

interface DoorChoice {
  readonly between: readonly [string, string];
  /** One of these becomes the door's name. */
  readonly names: readonly string[];
}

const patioDoors = ['sliding patio door', 'patio door', 'screen door'];
const frontDoors = ['front door', 'fiberglass door'];

/** Doors that a house has if the rooms adjoin. */
export const doors: readonly DoorChoice[] = [
  { between: ['pantry', 'kitchen'], names: ['frosted-glass door', 'plain door'] },
  { between: ['kitchen', 'backyard'], names: patioDoors },
  { between: ['corridor', 'backyard'], names: patioDoors },
  { between: ['backyard', 'shed'], names: ['barn door', 'wooden door'] },
  { between: ['livingroom', 'driveway'], names: frontDoors },
  { between: ['corridor', 'driveway'], names: frontDoors },
  { between: ['supermarket', 'street'], names: ['sliding door', 'commercial glass door'] },
];

interface Furnishing {
  readonly name: string;
  readonly type: string;
  readonly adjective: string;
  /** Names of the rooms or things where it may be. */
  readonly holders: readonly string[];
  readonly properties: readonly string[];
  readonly description?: string;
}

type Row = readonly [
  name: string,
  type: string,
  adjective: string,
  holders: readonly string[],
  property?: string | undefined,
  description?: string,
];

// In the order of the original: its random choices depend on it.
const rows: readonly Row[] = [
  ['cookbook', 'o', 'interesting', ['counter', 'table']],
  ['knife', 'o', 'sharp', ['counter', 'table'], 'sharp'],
  ['fridge', 'c', 'conventional', ['kitchen'], 'closed'],
  ['counter', 's', 'vast', ['kitchen']],
  ['table', 's', 'massive', ['kitchen']],
  ['stove', 'stove', 'conventional', ['kitchen'], undefined, 'You can fry food with it.'],
  ['oven', 'oven', 'conventional', ['kitchen'], 'closed', 'You can roast food with it.'],
  ['shelf', 's', 'wooden', ['pantry']],
  ['BBQ', 'toaster', 'recent', ['backyard'], undefined, 'You can grill food with it.'],
  ['patio table', 's', 'stylish', ['backyard']],
  ['patio chair', 's', 'stylish', ['backyard']],
  ['showcase', 's', 'metallic', ['supermarket']],
  ['sofa', 's', 'comfy', ['livingroom']],
  ['bed', 's', 'large', ['bedroom']],
  ['toilet', 's', 'white', ['bathroom']],
  ['workbench', 's', 'wooden', ['shed']],
  ['toolbox', 'c', 'metallic', ['shed'], 'closed'],
];

/** Everything that may be in the house but food, by name. */
export const furnishings: ReadonlyMap<string, Furnishing> = new Map(
  rows.map(([name, type, adjective, holders, property, description]) => [
    name,
    { name, type, adjective, holders, properties: property ? [property] : [], ...(description && { description }) },
  ]),
);

/** What is placed first, wherever its room exists. */
export const basicFurniture = ['table', 'stove', 'oven', 'counter', 'fridge', 'BBQ', 'shelf', 'showcase'];
