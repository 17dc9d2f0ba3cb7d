import type { Deed } from './grammar.js';

export const finalQuestion = 'Would you like to RESTART, RESTORE a saved game, QUIT or UNDO the last command?';

export const helpText = [
  'Available commands:',
  '  look:                describe the current room',
  '  goal:                print the goal of this game',
  "  inventory:           print player's inventory",
  '  go <dir>:            move the player north, east, south or west',
  '  examine ...:         examine something more closely',
  '  eat ...:             eat edible food',
  '  open ...:            open a door or a container',
  '  close ...:           close a door or a container',
  '  drop ...:            drop an object on the floor',
  '  take ...:            take an object that is on the floor',
  '  put ... on ...:      place an object on a supporter',
  '  take ... from ...:   take an object from a container or a supporter',
  '  insert ... into ...: place an object into a container',
  '  lock ... with ...:   lock a door or a container with a key',
  '  unlock ... with ...: unlock a door or a container with a key',
].join('\n');

/** Replies to deeds that take no turn. */
export const modeReplies: Readonly<Partial<Record<Deed, string>>> = {
  modeShort:
    'Welcome is now in its "superbrief" mode, which always gives short descriptions of locations (even if you haven\'t been there before).',
  modeLong:
    'Welcome is now in its "verbose" mode, which always gives long descriptions of locations (even if you\'ve been there before).',
  modeBrief:
    'Welcome is now in its "brief" printing mode, which gives long descriptions of places never before visited and short descriptions otherwise.',
  notifyOn: 'Score notification on.',
  notifyOff: 'Score notification off.',
  unavailable: 'That is not available here.',
};
