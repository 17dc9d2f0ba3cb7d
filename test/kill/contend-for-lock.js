// node test/kill/contend-for-lock.js FOLDER: says `ready`; once told to on standard input, takes the lock of a run's
// folder, says how that went, and holds it until it is killed.
import { acquireRunLock } from '../../dist/runs/run-lock.js';

process.stdin.once('data', () => {
  try {
    acquireRunLock(process.argv[2]);
    process.stdout.write('won');
  } catch (error) {
    process.stdout.write(String(error.code));
  }
});
process.stdout.write('ready');
