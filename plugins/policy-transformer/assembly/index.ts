/**
 * Kernels of a small decoder. Addresses are in bytes, matrices float32 and row by row, and every array begins at a
 * multiple of 16.
 */
export { attend, configureAttention, rememberRows } from './attention';
export { drawTokens, largestTokens } from './choice';
export { embed, gate, normalize } from './elementwise';
export { pack, project } from './projection';

/** The first address that the kernels' own data leaves free. */
export function firstFree(): usize {
  return __heap_base;
}
