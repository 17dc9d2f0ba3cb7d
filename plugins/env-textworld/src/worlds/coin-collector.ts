import { worldOf } from '../textworld.js';

export const open = worldOf('coin-collector');
