import { worldOf } from '../textworld.js';

export const open = worldOf('cooking');
