import { worldOf, type OpenWorld } from '../textworld.js';

export const open: OpenWorld<'cooking'> = worldOf('cooking');
