/** Environment variables of a process whose threads sleep while they wait: those that spin take time from other sides. */
export function quietThreads(threads) {
  return { OMP_WAIT_POLICY: 'passive', KMP_BLOCKTIME: '0', OMP_NUM_THREADS: String(threads) };
}
