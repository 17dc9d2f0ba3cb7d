// The 96 levels: `register` calls of minigrid/__init__.py (version 3.2.0).
import { generalDefaults, type LevelKind, type LevelSettings } from './level-kind.js';
import { levelId } from './level-names.js';
import * as goTo from './kinds/go-to.js';
import * as open from './kinds/open.js';
import * as pickUp from './kinds/pick-up.js';
import * as putNext from './kinds/put-next.js';
import { sentenceKind } from './kinds/sentence.js';
import * as unlock from './kinds/unlock.js';

/** A level: a kind with its settings. */
export interface Level {
  /** Without `BabyAI-` and the version: `GoToLocalS5N2`. */
  readonly name: string;
  /** As in the original. */
  readonly id: string;
  /** The class of the original. */
  readonly kind: LevelKind;
  readonly settings: LevelSettings;
}

const single = ['single'] as const;

/** Kinds by the names of their classes. */
const kinds = {
  ActionObjDoor: pickUp.actOnObjectOrDoor,
  BlockedUnlockPickup: unlock.blockedUnlockPickUp,
  BossLevel: sentenceKind('synth', {}),
  BossLevelNoUnlock: sentenceKind('synth', { lockedRoom: 0, implicitUnlock: false }),
  FindObjS5: pickUp.findObject,
  GoTo: goTo.goTo,
  GoToDoor: goTo.goToDoor,
  GoToImpUnlock: goTo.goToImplicitUnlock,
  GoToLocal: goTo.goToLocal,
  GoToObj: goTo.goToObject,
  GoToObjDoor: goTo.goToObjectOrDoor,
  GoToRedBall: goTo.goToRedBall,
  GoToRedBallGrey: goTo.goToRedBallGrey,
  GoToRedBallNoDists: goTo.goToRedBall,
  GoToRedBlueBall: goTo.goToRedBlueBall,
  GoToSeq: sentenceKind('go to', { lockedRoom: 0, locations: false, unblocking: false, verbs: ['go to'] }),
  KeyCorridor: pickUp.keyCorridor,
  KeyInBox: unlock.keyInBox,
  MiniBossLevel: sentenceKind('synth', { lockedRoom: 0.25 }, { roomSize: 5, rows: 2, columns: 2, things: 7 }),
  MoveTwoAcross: putNext.moveTwoAcross,
  OneRoomS8: pickUp.oneRoom,
  Open: open.openAny,
  OpenDoor: open.openDoor,
  OpenDoorsOrder: open.openDoorsInOrder,
  OpenRedDoor: open.openRedDoor,
  OpenTwoDoors: open.openTwoDoors,
  Pickup: pickUp.pickUp,
  PickupAbove: pickUp.pickUpAbove,
  PickupDist: pickUp.pickUpDescribed,
  PickupLoc: sentenceKind(
    'pick up',
    { lockedRoom: 0, unblocking: false, verbs: ['pick up'], forms: single },
    { rows: 1, columns: 1, things: 8 },
  ),
  PutNext: putNext.putNext,
  PutNextLocal: putNext.putNextLocal,
  Synth: sentenceKind('synth', { locations: false, implicitUnlock: false, forms: single }),
  SynthLoc: sentenceKind('synth', { implicitUnlock: false, forms: single }),
  SynthSeq: sentenceKind('synth', { implicitUnlock: false }),
  UnblockPickup: pickUp.unblockPickUp,
  Unlock: unlock.unlock,
  UnlockLocal: unlock.unlockLocal,
  UnlockPickup: unlock.unlockPickUp,
  UnlockToUnlock: unlock.unlockToUnlock,
} as const satisfies Record<string, LevelKind>;

type ClassName = keyof typeof kinds;
type Row = readonly [name: string, className: ClassName, settings?: Partial<LevelSettings>];

const rows = (count: number) => ({ rows: count });
const room = (roomSize: number, things?: number) => ({ roomSize, ...(things !== undefined && { things }) });
const maze = (more: Partial<LevelSettings> = {}) => ({ things: 1, ...more });

/** In the order of their names, as the original sorts them. */
const table: readonly Row[] = [
  ['ActionObjDoor', 'ActionObjDoor'],
  ['BlockedUnlockPickup', 'BlockedUnlockPickup'],
  ['BossLevel', 'BossLevel'],
  ['BossLevelNoUnlock', 'BossLevelNoUnlock'],
  ['FindObjS5', 'FindObjS5'],
  ['FindObjS6', 'FindObjS5', room(6)],
  ['FindObjS7', 'FindObjS5', room(7)],
  ['GoTo', 'GoTo'],
  ['GoToDoor', 'GoToDoor'],
  ['GoToImpUnlock', 'GoToImpUnlock'],
  ['GoToLocal', 'GoToLocal'],
  ['GoToLocalS5N2', 'GoToLocal', room(5, 2)],
  ['GoToLocalS6N2', 'GoToLocal', room(6, 2)],
  ['GoToLocalS6N3', 'GoToLocal', room(6, 3)],
  ['GoToLocalS6N4', 'GoToLocal', room(6, 4)],
  ['GoToLocalS7N4', 'GoToLocal', room(7, 4)],
  ['GoToLocalS7N5', 'GoToLocal', room(7, 5)],
  ['GoToLocalS8N2', 'GoToLocal', room(8, 2)],
  ['GoToLocalS8N3', 'GoToLocal', room(8, 3)],
  ['GoToLocalS8N4', 'GoToLocal', room(8, 4)],
  ['GoToLocalS8N5', 'GoToLocal', room(8, 5)],
  ['GoToLocalS8N6', 'GoToLocal', room(8, 6)],
  ['GoToLocalS8N7', 'GoToLocal', room(8, 7)],
  ['GoToObj', 'GoToObj'],
  ['GoToObjDoor', 'GoToObjDoor'],
  ['GoToObjMaze', 'GoTo', maze()],
  ['GoToObjMazeOpen', 'GoTo', maze({ doorsOpen: true })],
  ['GoToObjMazeS4', 'GoTo', maze(room(4))],
  ['GoToObjMazeS4R2', 'GoTo', maze({ ...room(4), rows: 2, columns: 2 })],
  ['GoToObjMazeS5', 'GoTo', maze(room(5))],
  ['GoToObjMazeS6', 'GoTo', maze(room(6))],
  ['GoToObjMazeS7', 'GoTo', maze(room(7))],
  ['GoToObjS4', 'GoToObj', room(4)],
  ['GoToObjS6', 'GoToObj', room(6)],
  ['GoToOpen', 'GoTo', { doorsOpen: true }],
  ['GoToRedBall', 'GoToRedBall'],
  ['GoToRedBallGrey', 'GoToRedBallGrey'],
  ['GoToRedBallNoDists', 'GoToRedBallNoDists', { things: 0 }],
  ['GoToRedBlueBall', 'GoToRedBlueBall'],
  ['GoToSeq', 'GoToSeq'],
  ['GoToSeqS5R2', 'GoToSeq', { ...room(5, 4), rows: 2, columns: 2 }],
  ['KeyCorridor', 'KeyCorridor'],
  ['KeyCorridorS3R1', 'KeyCorridor', { ...room(3), ...rows(1) }],
  ['KeyCorridorS3R2', 'KeyCorridor', { ...room(3), ...rows(2) }],
  ['KeyCorridorS3R3', 'KeyCorridor', room(3)],
  ['KeyCorridorS4R3', 'KeyCorridor', room(4)],
  ['KeyCorridorS5R3', 'KeyCorridor', room(5)],
  ['KeyCorridorS6R3', 'KeyCorridor', room(6)],
  ['KeyInBox', 'KeyInBox'],
  ['MiniBossLevel', 'MiniBossLevel'],
  ['MoveTwoAcrossS5N2', 'MoveTwoAcross', room(5, 2)],
  ['MoveTwoAcrossS8N9', 'MoveTwoAcross', room(8, 9)],
  ['OneRoomS12', 'OneRoomS8', room(12)],
  ['OneRoomS16', 'OneRoomS8', room(16)],
  ['OneRoomS20', 'OneRoomS8', room(20)],
  ['OneRoomS8', 'OneRoomS8'],
  ['Open', 'Open'],
  ['OpenDoor', 'OpenDoor'],
  ['OpenDoorColor', 'OpenDoor', { selectBy: 'colour' }],
  ['OpenDoorDebug', 'OpenDoor', { strict: true }],
  ['OpenDoorLoc', 'OpenDoor', { selectBy: 'location' }],
  ['OpenDoorsOrderN2', 'OpenDoorsOrder', { doors: 2 }],
  ['OpenDoorsOrderN2Debug', 'OpenDoorsOrder', { doors: 2, strict: true }],
  ['OpenDoorsOrderN4', 'OpenDoorsOrder', { doors: 4 }],
  ['OpenDoorsOrderN4Debug', 'OpenDoorsOrder', { doors: 4, strict: true }],
  ['OpenRedBlueDoors', 'OpenTwoDoors', { doorColours: ['red', 'blue'] }],
  ['OpenRedBlueDoorsDebug', 'OpenTwoDoors', { doorColours: ['red', 'blue'], strict: true }],
  ['OpenRedDoor', 'OpenRedDoor'],
  ['OpenTwoDoors', 'OpenTwoDoors'],
  ['Pickup', 'Pickup'],
  ['PickupAbove', 'PickupAbove'],
  ['PickupDist', 'PickupDist'],
  ['PickupDistDebug', 'PickupDist', { strict: true }],
  ['PickupLoc', 'PickupLoc'],
  ['PutNextLocal', 'PutNextLocal'],
  ['PutNextLocalS5N3', 'PutNextLocal', room(5, 3)],
  ['PutNextLocalS6N4', 'PutNextLocal', room(6, 4)],
  ['PutNextS4N1', 'PutNext', room(4, 1)],
  ['PutNextS5N1', 'PutNext', room(5, 1)],
  ['PutNextS5N2', 'PutNext', room(5, 2)],
  ['PutNextS5N2Carrying', 'PutNext', { ...room(5, 2), startsCarrying: true }],
  ['PutNextS6N3', 'PutNext', room(6, 3)],
  ['PutNextS6N3Carrying', 'PutNext', { ...room(6, 3), startsCarrying: true }],
  ['PutNextS7N4', 'PutNext', room(7, 4)],
  ['PutNextS7N4Carrying', 'PutNext', { ...room(7, 4), startsCarrying: true }],
  ['Synth', 'Synth'],
  ['SynthLoc', 'SynthLoc'],
  ['SynthS5R2', 'Synth', { ...room(5), ...rows(2) }],
  ['SynthSeq', 'SynthSeq'],
  ['UnblockPickup', 'UnblockPickup'],
  ['Unlock', 'Unlock'],
  ['UnlockLocal', 'UnlockLocal'],
  ['UnlockLocalDist', 'UnlockLocal', { things: 3 }],
  ['UnlockPickup', 'UnlockPickup'],
  ['UnlockPickupDist', 'UnlockPickup', { things: 4 }],
  ['UnlockToUnlock', 'UnlockToUnlock'],
];

export const levels: readonly Level[] = table.map(([name, className, settings]) => ({
  name,
  id: levelId(name),
  kind: kinds[className],
  settings: { ...generalDefaults, ...kinds[className].defaults, ...settings },
}));

export const levelByName: ReadonlyMap<string, Level> = new Map(levels.map((level) => [level.name, level]));
