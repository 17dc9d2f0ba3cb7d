import { worldOf, type OpenWorld } from '../textworld.js';

export const open: OpenWorld<'custom'> = worldOf('custom');
