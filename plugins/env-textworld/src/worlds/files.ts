import { worldOf, type OpenWorld } from '../textworld.js';

export const open: OpenWorld<'files'> = worldOf('files');
