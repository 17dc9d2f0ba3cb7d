import { worldOf, type OpenWorld } from '../textworld.js';

export const open: OpenWorld<'treasure-hunter'> = worldOf('treasure-hunter');
