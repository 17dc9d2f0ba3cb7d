// Loaded before the command line. At its end it writes processor seconds and the largest memory, in kilobytes, to
// descriptor 3.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(3, JSON.stringify({ kilobytes: maxRSS, seconds: (userCPUTime + systemCPUTime) / 1e6 }));
});
