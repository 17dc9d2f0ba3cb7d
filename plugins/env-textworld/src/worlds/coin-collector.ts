import { worldOf, type OpenWorld } from '../textworld.js';

export const open: OpenWorld<'coin-collector'> = worldOf('coin-collector');
