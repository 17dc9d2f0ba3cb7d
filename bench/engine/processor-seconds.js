/** User and system seconds of this process, all its threads, since `process.cpuUsage()` gave `before`. */
export function processorSeconds(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
