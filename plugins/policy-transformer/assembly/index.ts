/**
 * Kernels of a small decoder. Addresses are in bytes. Matrices are float32 and row-major. Every array begins at a
 * multiple of 16.
 */
export { attend, configureAttention, rememberRows } from './attention';
export { drawTokens, largestTokens, softenRows } from './choice';
export { embed, gate, normalize } from './elementwise';
export { pack, project } from './projection';

/** The first address after the kernels' own data. */
export function firstFree(): usize {
  return __heap_base;
}
