/** User and system seconds of this process in all threads, since `process.cpuUsage()` returned `before`. */
export function processorSeconds(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
